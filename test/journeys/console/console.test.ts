import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Platform, startPlatform } from '../platform.ts';
import { archiveJourneys } from './archive.ts';
import { batchesJourneys } from './batches.ts';
import { BROWSER_START_MS, ConsoleBrowser } from './browser.ts';
import { chatJourneys } from './chat.ts';
import { jobsJourneys } from './jobs.ts';
import { knowledgeJourneys } from './knowledge.ts';
import { operatorJourneys } from './operator.ts';
import { rolesJourneys } from './roles.ts';
import { settingsJourneys } from './settings.ts';
import { shellJourneys } from './shell.ts';
import { studioJourneys } from './studio.ts';
import { voiceJourneys } from './voice.ts';

// One platform and one browser serve all journeys: starting them costs more than most of these do.
let platform: Platform;
let browser: ConsoleBrowser;

beforeAll(async () => {
  platform = await startPlatform({
    mediaWorkers: 1,
    visionWorkers: 1,
    knowledgeWorkers: 1,
    systemWorkers: 1,
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

describe('the shell', limit, () => shellJourneys(here));
describe('chat', limit, () => chatJourneys(here));
describe('studio', limit, () => studioJourneys(here));
describe('knowledge', limit, () => knowledgeJourneys(here));
describe('archive', limit, () => archiveJourneys(here));
describe('jobs', limit, () => jobsJourneys(here));
describe('voice', limit, () => voiceJourneys(here));
describe('batches', limit, () => batchesJourneys(here));
describe('settings', limit, () => settingsJourneys(here));
describe('roles', limit, () => rolesJourneys(here));
describe('operator', limit, () => operatorJourneys(here));

it('no page had an error, or did what its policy forbids', () => {
  expect(browser.complaints).toEqual([]);
});
