import { freePort, OIDC_CLIENT, startIdentityProvider, type TestIdentityProvider } from '@chorus/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Platform, startPlatform } from '../platform.ts';
import { administrationJourneys } from './administration.ts';
import { agentsJourneys, toolsJourneys } from './agents.ts';
import { archiveJourneys } from './archive.ts';
import { attachmentsJourneys } from './attachments.ts';
import { batchesJourneys } from './batches.ts';
import { BROWSER_START_MS, ConsoleBrowser } from './browser.ts';
import { chatJourneys } from './chat.ts';
import { chatOptionsJourneys } from './chat-options.ts';
import { detailsJourneys } from './details.ts';
import { documentationJourneys } from './documentation.ts';
import { everyPageJourneys } from './every-page.ts';
import { jobsJourneys } from './jobs.ts';
import { knowledgeJourneys } from './knowledge.ts';
import { languageJourneys } from './language.ts';
import { operatorJourneys } from './operator.ts';
import { organizeJourneys } from './organize.ts';
import { personalJourneys } from './personal.ts';
import { previewsJourneys } from './previews.ts';
import { rolesJourneys } from './roles.ts';
import { settingsJourneys } from './settings.ts';
import { shellJourneys } from './shell.ts';
import { signInJourneys } from './sign-in.ts';
import { singleSignOnJourneys } from './single-sign-on.ts';
import { studioJourneys } from './studio.ts';
import { voiceJourneys } from './voice.ts';

const SOAK = process.env.CHORUS_SOAK === '1';

// Starting the platform and the browser is slow, so all journeys share them.
let platform: Platform;
let browser: ConsoleBrowser;
let provider: TestIdentityProvider;

beforeAll(async () => {
  const providerPort = await freePort();
  platform = await startPlatform({
    maintenance: 1,
    knowledgeWorkers: 1,
    ...(SOAK && { voiceWorkers: 1, mediaWorkers: 1, visionWorkers: 1 }),
    transcript: () => 'Boats berth at the east quay.',
    models: ['echo', 'refuse', 'words-5000-delay-20', 'call@agents'],
    env: {
      DEFAULT_MODEL: 'embedded/assistant',
      DEFAULT_IMAGE_MODEL: 'embedded/canvas',
      DEFAULT_SPEECH_MODEL: 'embedded/flite',
      DEFAULT_TRANSCRIPTION_MODEL: 'openai/whisper-1',
      OUTBOUND_ALLOW: '127.0.0.1/32',
      OIDC_ISSUER: `http://127.0.0.1:${providerPort}`,
      OIDC_CLIENT_ID: OIDC_CLIENT.id,
      OIDC_CLIENT_SECRET: OIDC_CLIENT.secret,
      OIDC_NAME: 'Example',
      OIDC_CREATE_USERS: 'true',
      // No test calls the real one.
      MISTRAL_BASE_URL: 'http://127.0.0.1:1/v1',
    },
  });
  const url = String(platform.apis[0]?.url);
  const person = { sub: 'ada', email: 'ada@single.example.org', email_verified: true };
  provider = await startIdentityProvider({ port: providerPort, platforms: [url], person });
  browser = await ConsoleBrowser.start(url, platform.login);
}, BROWSER_START_MS);
afterAll(async () => {
  await browser?.close();
  await provider?.stop();
  await platform?.stop();
});
beforeEach(() => platform.showLogsOnFailure());

const fixtures = () => ({ platform, browser });

/** Only catches hangs; waits for page content time out earlier. */
const limit = { timeout: 150_000 };

/** Slow journeys run only in `npm run soak` or with CHORUS_SOAK=1. */
const inSoak = describe.runIf(SOAK);

describe('the shell', limit, () => shellJourneys(fixtures));
describe('signing in', limit, () => signInJourneys(fixtures));
describe('single sign-on', limit, () => singleSignOnJourneys(fixtures, () => provider));
describe('languages', limit, () => languageJourneys(fixtures));
describe('chat', limit, () => chatJourneys(fixtures));
describe('administration', limit, () => administrationJourneys(fixtures));
describe('attachments', limit, () => attachmentsJourneys(fixtures));
describe('previews', limit, () => previewsJourneys(fixtures));
describe('personal', limit, () => personalJourneys(fixtures));
describe('details', limit, () => detailsJourneys(fixtures));
describe('organizing', limit, () => organizeJourneys(fixtures));
describe('every page', limit, () => everyPageJourneys(fixtures));
describe('documentation', limit, () => documentationJourneys(fixtures));
describe('agents', limit, () => agentsJourneys(fixtures));
inSoak('studio', limit, () => studioJourneys(fixtures));
describe('knowledge', limit, () => knowledgeJourneys(fixtures));
describe('archive', limit, () => archiveJourneys(fixtures));
describe('jobs', limit, () => jobsJourneys(fixtures));
inSoak('voice', limit, () => voiceJourneys(fixtures));
describe('batches', limit, () => batchesJourneys(fixtures));
describe('settings', limit, () => settingsJourneys(fixtures));
describe('tools', limit, () => toolsJourneys(fixtures));
describe('roles', limit, () => rolesJourneys(fixtures));
describe('chat options', limit, () => chatOptionsJourneys(fixtures));
describe('operator', limit, () => operatorJourneys(fixtures));

it('reports no script errors or policy violations', () => {
  expect(browser.pageErrors).toEqual([]);
});
