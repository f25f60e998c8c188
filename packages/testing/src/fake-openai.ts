import { answerRequest, once } from './fake-answer.ts';
import { FakeBatches, isBatchPath, lateAnswer } from './fake-batches.ts';
import { behaviorOf, type FakeBehavior } from './fake-behavior.ts';
import { chatWire, openaiError } from './fake-chat-frames.ts';
import { fileBatches } from './fake-file-batches.ts';
import { type FakeLimitSettings, FakeLimits } from './fake-limits.ts';
import { formField, madeBesideChat, sendMade } from './fake-media.ts';
import { responsesWire } from './fake-responses-frames.ts';
import { type FakeRequest, type FakeServer, sendJson, startFakeServer } from './fake-server.ts';

export interface FakeOpenAIOptions {
  /** Default: any free port. */
  port?: number;
  /** The only accepted bearer token. Default: any. */
  apiKey?: string;
  models?: string[];
  /** False makes `/v1/responses` answer 404, as many compatible servers do. */
  responses?: boolean;
  /** Transcript of any sound. Default: `one two`. */
  transcript?: () => string;
  limits?: Partial<FakeLimitSettings>;
  /** Overrides the behavior that the model's name specifies. */
  script?: (request: FakeRequest) => Partial<FakeBehavior> | undefined;
}

export interface FakeOpenAI extends FakeServer {
  limits: FakeLimits;
  url: string;
}

/**
 * Starts a fake with OpenAI's wire formats: models, chat completions and responses, with and without streaming;
 * images, speech, transcripts, and embeddings. The model's name selects the answer: see `FakeBehavior`.
 */
export async function startFakeOpenAI(options: FakeOpenAIOptions = {}): Promise<FakeOpenAI> {
  const first = once();
  const limits = new FakeLimits(options.limits);
  const wireOf = (path: string) =>
    path === '/v1/chat/completions' ? chatWire : path === '/v1/responses' ? responsesWire : null;
  const batches = new FakeBatches({ limits, wireOf, script: options.script });
  const answerBatch = fileBatches(batches, '/v1', 'openai', lateAnswer(limits));
  const server = await startFakeServer(
    options.port ?? 0,
    (request) => String(request.body.model ?? formField(request, 'model')),
    async (request, response) => {
      const { method, path, headers } = request;
      const key = String(headers.authorization ?? '').replace(/^Bearer /, '');
      const isBatch = isBatchPath(path);
      const dialect = { provider: 'openai', wire: chatWire, key, keyFailure: behaviorOf('fail-401'), isBatch };
      if (!(await limits.admit(request, response, dialect))) return;
      if (options.apiKey !== undefined && key !== options.apiKey)
        return sendJson(response, 401, openaiError(behaviorOf('fail-401').error));
      if (path === '/v1/models' && method === 'GET')
        return sendJson(response, 200, {
          object: 'list',
          data: (options.models ?? ['words-20', 'echo']).map((id) => ({
            id,
            object: 'model',
            created: 1_750_000_000,
            owned_by: 'fake',
          })),
        });
      if (isBatch && answerBatch(request, response)) return;
      const behavior = first(request, { ...behaviorOf(request.model), ...options.script?.(request) });
      const made = madeBesideChat(request, options.transcript?.());
      if (made) return sendMade(chatWire, behavior, response, made);
      const wire = wireOf(path);
      if (wire === null || (wire === responsesWire && options.responses === false)) {
        const message = `Invalid URL (${method} ${path})`;
        return sendJson(response, 404, openaiError({ message, type: 'invalid_request_error', code: null }));
      }
      await answerRequest(wire, request, behavior, response);
    },
    limits,
  );
  return { ...server, limits, url: `http://127.0.0.1:${server.port}/v1` };
}
