import type { ServerResponse } from 'node:http';
import { answerRequest, type ChatWire, once, sendFailure } from './fake-answer.ts';
import { anthropicWire } from './fake-anthropic.ts';
import { FakeBatches, isBatchPath, lateAnswer } from './fake-batches.ts';
import { behaviorOf, type FakeBehavior } from './fake-behavior.ts';
import { fileBatches } from './fake-file-batches.ts';
import { googleWire } from './fake-google.ts';
import { groqWire } from './fake-groq.ts';
import { anthropicBatches, googleBatches } from './fake-inline-batches.ts';
import { type FakeLimitSettings, FakeLimits } from './fake-limits.ts';
import { formField, madeBesideChat, sendMade } from './fake-media.ts';
import { deepgramWire, elevenlabsWire, falWire, type MediaWire } from './fake-media-wires.ts';
import { mistralWire } from './fake-mistral.ts';
import { type FakeRequest, type FakeServer, sendJson, startFakeServer } from './fake-server.ts';
import { answerOperation } from './fake-video-queue.ts';

interface ProviderWire {
  base: string;
  key: (headers: FakeRequest['headers']) => unknown;
  models?: { path: string; answer: unknown };
  modelOf?: (request: FakeRequest) => string;
  chat?: { path: RegExp; wire: ChatWire };
  media?: MediaWire;
  batches?: (batches: FakeBatches, answer: ReturnType<typeof lateAnswer>) => BatchAnswer;
  failures?: Partial<Record<'fail-401' | 'refuse', Pick<FakeBehavior, 'status' | 'error'>>>;
}

type BatchAnswer = (request: FakeRequest, response: ServerResponse) => boolean;

const bearer = ({ authorization }: FakeRequest['headers']) =>
  authorization?.toString().replace(/^(Bearer|Token|Key) /, '');
const list = (...data: Record<string, unknown>[]) => ({ object: 'list', data });

const WIRES = {
  anthropic: {
    base: '/v1',
    key: (headers) => headers['x-api-key'],
    models: {
      path: '/v1/models',
      answer: {
        data: [
          {
            type: 'model',
            id: 'claude-test-1',
            display_name: 'Claude Test',
            created_at: '2025-10-01T00:00:00Z',
            max_input_tokens: 200_000,
          },
        ],
        has_more: false,
        first_id: 'claude-test-1',
        last_id: 'claude-test-1',
      },
    },
    chat: { path: /^\/v1\/messages$/, wire: anthropicWire },
    batches: anthropicBatches,
  },
  google: {
    base: '/v1beta',
    key: (headers) => headers['x-goog-api-key'],
    models: {
      path: '/v1beta/models',
      answer: {
        models: [
          { name: 'models/gemini-test', inputTokenLimit: 1_048_576, supportedGenerationMethods: ['generateContent'] },
          {
            name: 'models/gemini-test-embedding',
            inputTokenLimit: 2_048,
            supportedGenerationMethods: ['embedContent'],
          },
          {
            name: 'models/gemini-test-image',
            inputTokenLimit: 32_768,
            supportedGenerationMethods: ['generateContent'],
          },
          { name: 'models/imagen-test', supportedGenerationMethods: ['predict'] },
          { name: 'models/veo-test', supportedGenerationMethods: ['predictLongRunning'] },
          { name: 'models/aqa', supportedGenerationMethods: ['generateAnswer'] },
        ],
      },
    },
    modelOf: ({ path }) => decodeURIComponent(/\/(?:models|files)\/([^:/]+?)(?:[:/]|\.mp4$)/.exec(path)?.[1] ?? ''),
    chat: { path: /:streamGenerateContent$/, wire: googleWire },
    batches: googleBatches,
    // An invalid key is a bad request there, which only the details reveal.
    failures: {
      'fail-401': {
        status: 400,
        error: { message: 'API key not valid. Please pass a valid API key.', type: '', code: 'API_KEY_INVALID' },
      },
    },
  },
  mistral: {
    base: '/v1',
    key: bearer,
    models: {
      path: '/v1/models',
      answer: list(
        {
          id: 'mistral-test',
          object: 'model',
          created: 1_750_000_000,
          max_context_length: 131_072,
          capabilities: { completion_chat: true, completion_fim: false, vision: true },
        },
        { id: 'mistral-embed', object: 'model', created: 1_750_000_000, capabilities: { completion_chat: false } },
      ),
    },
    chat: { path: /^\/v1\/chat\/completions$/, wire: mistralWire },
    batches: (batches, answer) => fileBatches(batches, '/v1', 'mistral', answer),
  },
  groq: {
    base: '/openai/v1',
    key: bearer,
    models: {
      path: '/openai/v1/models',
      answer: list(
        { id: 'llama-test', object: 'model', created: 1_750_000_000, context_window: 131_072, active: true },
        { id: 'whisper-test', object: 'model', created: 1_750_000_000, context_window: 448, active: true },
      ),
    },
    chat: { path: /^\/openai\/v1\/chat\/completions$/, wire: groqWire },
    batches: (batches, answer) => fileBatches(batches, '/openai/v1', 'groq', answer),
  },
  elevenlabs: {
    base: '',
    key: (headers) => headers['xi-api-key'],
    models: {
      path: '/v1/models',
      answer: [
        { model_id: 'eleven_test', name: 'Test', can_do_text_to_speech: true, can_do_voice_conversion: false },
        { model_id: 'eleven_sts', name: 'Other', can_do_text_to_speech: false, can_do_voice_conversion: true },
      ],
    },
    modelOf: elevenlabsWire.modelOf,
    media: elevenlabsWire,
  },
  deepgram: {
    base: '',
    key: bearer,
    models: {
      path: '/v1/models',
      answer: {
        stt: [
          { name: 'nova', canonical_name: 'nova-test', languages: ['en'], batch: true, streaming: true },
          { name: 'nova', canonical_name: 'nova-test', languages: ['de'], batch: true, streaming: true },
        ],
        tts: [{ name: 'asteria', canonical_name: 'aura-test-en', languages: ['en'] }],
      },
    },
    modelOf: deepgramWire.modelOf,
    media: deepgramWire,
  },
  fal: {
    base: '',
    key: bearer,
    modelOf: falWire.modelOf,
    media: falWire,
    failures: {
      refuse: {
        status: 422,
        error: {
          message: 'The content could not be processed because it contained material flagged by a content checker.',
          type: 'content_policy_violation',
          code: null,
        },
      },
    },
  },
} satisfies Record<string, ProviderWire>;

export type FakeProviderName = keyof typeof WIRES;

export const isFakeProvider = (name: string): name is FakeProviderName => Object.hasOwn(WIRES, name);

export interface FakeProvider extends FakeServer {
  limits: FakeLimits;
  url: string;
}

/** Starts a fake with the wire format of one provider. The model's name selects the answer: see `FakeBehavior`. */
export async function startFakeProvider(
  name: FakeProviderName,
  options: {
    /** Default: any free port. */
    port?: number;
    apiKey?: string;
    limits?: Partial<FakeLimitSettings>;
    script?: (request: FakeRequest) => Partial<FakeBehavior> | undefined;
  } = {},
): Promise<FakeProvider> {
  const wire: ProviderWire = WIRES[name];
  const first = once();
  const limits = new FakeLimits(options.limits);
  const wireOf = (path: string) => (wire.chat?.path.test(path) ? wire.chat.wire : null);
  const batches = new FakeBatches({ limits, wireOf, script: options.script });
  const answerBatch = wire.batches?.(batches, lateAnswer(limits));
  const behaviorFor = (model: string): FakeBehavior => {
    const own = Object.entries(wire.failures ?? {}).find(([part]) => model.includes(part))?.[1];
    return { ...behaviorOf(model), ...own };
  };
  const answer = async (request: FakeRequest, response: ServerResponse) => {
    const { chat, media, models } = wire;
    const failing = chat?.wire ?? media;
    const open = /^\/(files|stored)\//.test(request.path); // media downloads need no key
    const key = wire.key(request.headers);
    const keyFailure = behaviorFor('fail-401');
    const isBatch = answerBatch !== undefined && isBatchPath(request.path);
    const isVideo = /:predictLongRunning$|video/.test(request.path);
    if (
      failing &&
      !open &&
      !(await limits.admit(request, response, { provider: name, wire: failing, key, keyFailure, isBatch, isVideo }))
    )
      return;
    if (failing && !open && options.apiKey !== undefined && key !== options.apiKey)
      return sendFailure(failing, keyFailure, response);
    if (isBatch && answerBatch(request, response)) return;
    if (models && request.method === 'GET' && request.path === models.path)
      return sendJson(response, 200, models.answer);
    const behavior = first(request, { ...behaviorFor(request.model), ...options.script?.(request) });
    if (chat?.path.test(request.path)) return answerRequest(chat.wire, request, behavior, response);
    if (media) return media.answer(request, behavior, response, limits.settings.videoMs);
    if (name === 'google' && answerOperation(wire.chat!.wire, request, behavior, response, limits.settings.videoMs))
      return;
    const made = madeBesideChat(request);
    if (made && chat) return sendMade(chat.wire, behavior, response, made);
    sendJson(response, 404, { error: { message: `nothing at ${request.path}` } });
  };
  const modelOf = wire.modelOf ?? ((request: FakeRequest) => String(request.body.model ?? formField(request, 'model')));
  const server = await startFakeServer(options.port ?? 0, modelOf, answer, limits);
  return { ...server, limits, url: `http://127.0.0.1:${server.port}${wire.base}` };
}
