import { afterAll, beforeAll, beforeEach, describe } from 'vitest';
import { type Platform, startPlatform } from '../platform.ts';
import { agentsJourneys } from './agents.ts';
import { aiSdkJourneys } from './ai-sdk.ts';
import { anthropicJourneys } from './anthropic-sdk.ts';
import type { Endpoint } from './endpoint.ts';
import { irisJourneys } from './iris.ts';
import { langChainJourneys } from './langchain.ts';
import { mcpJourneys } from './mcp.ts';
import { openAiNodeJourneys } from './openai-node.ts';
import { pythonJourneys } from './python.ts';

/** OpenAI's and Anthropic's clients get a base URL and a key, and nothing else. */
let platform: Platform;
let endpoint: Endpoint;

beforeAll(async () => {
  platform = await startPlatform({
    apis: 2,
    background: 1,
    env: { DEFAULT_MODEL: 'embedded/assistant', DEFAULT_IMAGE_MODEL: 'embedded/canvas', OUTBOUND_ALLOW: '127.0.0.0/8' },
  });
  const { secret } = (await platform.client.post('/api-keys', { name: 'clients' })).body;
  const [first, second] = platform.apis.map(({ url }) => `${url}/openai/v1`);
  endpoint = { baseURL: first as string, otherBaseURL: second as string, apiKey: secret };
});
afterAll(() => platform?.stop());
beforeEach(() => platform.showLogsOnFailure());

const getPlatform = () => platform;
const getEndpoint = () => endpoint;

describe("OpenAI's client", () => openAiNodeJourneys(getEndpoint));
describe("Anthropic's client", () => anthropicJourneys(getEndpoint));
describe('the AI SDK', () => aiSdkJourneys(getEndpoint));
describe('LangChain', () => langChainJourneys(getEndpoint));
describe("OpenAI's agents", () => agentsJourneys(getEndpoint));
describe("OpenAI's Python client", () => pythonJourneys(getEndpoint));
describe('MCP', () => mcpJourneys(getPlatform));
// Kills the background process.
describe('images', () => irisJourneys(getPlatform));
