import { afterAll, beforeAll, beforeEach, describe } from 'vitest';
import { type Platform, startPlatform } from '../platform.ts';
import { assetsJourneys } from './assets.ts';
import { badInputJourneys } from './bad-input.ts';
import { chatJourneys } from './chat.ts';
import { jobsJourneys } from './jobs.ts';
import { messagesJourneys } from './messages.ts';
import { openAiClientJourneys } from './openai-client.ts';
import { shutdownJourneys } from './shutdown.ts';

/** One platform for all that needs no settings of its own: two APIs and two workers. */
let platform: Platform;

beforeAll(async () => {
  platform = await startPlatform({ apis: 2, textWorkers: 2, env: { JSON_LIMIT_BYTES: '100000' } });
});
afterAll(() => platform?.stop());
beforeEach(() => platform.showLogsOnFailure());

const here = () => platform;

// Compares all that is kept: it comes before anything else runs.
describe('bad input', () => badInputJourneys(here));
describe('chat', () => chatJourneys(here));
describe('messages', () => messagesJourneys(here));
describe('jobs', () => jobsJourneys(here));
describe("OpenAI's client", () => openAiClientJourneys(here));
describe('assets', () => assetsJourneys(here));
describe('shutdown', () => shutdownJourneys(here));
