import { afterAll, beforeAll, beforeEach, describe } from 'vitest';
import { type Platform, startPlatform } from '../platform.ts';
import { assetsJourneys } from './assets.ts';
import { badInputJourneys } from './bad-input.ts';
import { chatJourneys } from './chat.ts';
import { jobsJourneys } from './jobs.ts';
import { messagesJourneys } from './messages.ts';
import { openAiClientJourneys } from './openai-client.ts';
import { shutdownJourneys } from './shutdown.ts';
import { takeoverJourneys } from './takeover.ts';
import { toolCallsJourneys } from './tool-calls.ts';
import { voiceSocketJourneys } from './voice-socket.ts';

/** All these journeys share two APIs and two workers. */
let platform: Platform;

beforeAll(async () => {
  platform = await startPlatform({
    apis: 2,
    textWorkers: 2,
    env: {
      JSON_LIMIT_BYTES: '100000',
      DEFAULT_SPEECH_MODEL: 'openai/tts-1',
      DEFAULT_TRANSCRIPTION_MODEL: 'openai/whisper-1',
    },
  });
});
afterAll(() => platform?.stop());
beforeEach(() => platform.showLogsOnFailure());

const getPlatform = () => platform;

// Compares all stored data, so it runs first.
describe('bad input', () => badInputJourneys(getPlatform));
describe('chat', () => chatJourneys(getPlatform));
describe('messages', () => messagesJourneys(getPlatform));
describe('jobs', () => jobsJourneys(getPlatform));
describe("OpenAI's client", () => openAiClientJourneys(getPlatform));
describe('assets', () => assetsJourneys(getPlatform));
describe('shutdown', () => shutdownJourneys(getPlatform));
describe('tool calls', () => toolCallsJourneys(getPlatform));
describe('voice socket', () => voiceSocketJourneys(getPlatform));
// Leaves no text worker.
describe('takeover', () => takeoverJourneys(getPlatform));
