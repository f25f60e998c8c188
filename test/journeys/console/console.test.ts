import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Platform, startPlatform } from '../platform.ts';
import { archiveJourneys } from './archive.ts';
import { batchesJourneys } from './batches.ts';
import { BROWSER_START_MS, ConsoleBrowser } from './browser.ts';
import { chatJourneys } from './chat.ts';
import { chatOptionsJourneys } from './chat-options.ts';
import { jobsJourneys } from './jobs.ts';
import { knowledgeJourneys } from './knowledge.ts';
import { operatorJourneys } from './operator.ts';
import { rolesJourneys } from './roles.ts';
import { settingsJourneys } from './settings.ts';
import { shellJourneys } from './shell.ts';
import { signInJourneys } from './sign-in.ts';
import { studioJourneys } from './studio.ts';
import { voiceJourneys } from './voice.ts';

const SOAK = process.env.CHORUS_SOAK === '1';

// One platform and one browser serve all journeys: starting them costs more than most of these do.
let platform: Platform;
let browser: ConsoleBrowser;

beforeAll(async () => {
  platform = await startPlatform({
    systemWorkers: 1,
    ...(SOAK && { mediaWorkers: 1, visionWorkers: 1, knowledgeWorkers: 1 }),
    models: ['echo', 'refuse', 'words-5000-delay-20'],
    env: {
      DEFAULT_MODEL: 'embedded/assistant',
      DEFAULT_IMAGE_MODEL: 'embedded/canvas',
      DEFAULT_SPEECH_MODEL: 'embedded/flite',
    },
  });
  browser = await ConsoleBrowser.start(String(platform.apis[0]?.url), platform.login);
}, BROWSER_START_MS);
afterAll(async () => {
  await browser?.close();
  await platform?.stop();
});
beforeEach(() => platform.showLogsOnFailure());

const here = () => ({ platform, browser });

/** A bound on what hangs: a page that is waited for in vain says so before. */
const limit = { timeout: 150_000 };

/** The journeys of all parts take minutes: `npm run soak`, or CHORUS_SOAK=1, goes through them; what everybody touches is always tried. */
const inSoak = describe.runIf(SOAK);

describe('the shell', limit, () => shellJourneys(here));
describe('signing in', limit, () => signInJourneys(here));
describe('chat', limit, () => chatJourneys(here));
inSoak('studio', limit, () => studioJourneys(here));
inSoak('knowledge', limit, () => knowledgeJourneys(here));
inSoak('archive', limit, () => archiveJourneys(here));
inSoak('jobs', limit, () => jobsJourneys(here));
inSoak('voice', limit, () => voiceJourneys(here));
inSoak('batches', limit, () => batchesJourneys(here));
inSoak('settings', limit, () => settingsJourneys(here));
inSoak('roles', limit, () => rolesJourneys(here));
inSoak('what goes with a message', limit, () => chatOptionsJourneys(here));
inSoak('operator', limit, () => operatorJourneys(here));

it('no page had an error, or did what its policy forbids', () => {
  expect(browser.complaints).toEqual([]);
});
