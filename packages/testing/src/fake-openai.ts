import { answerRequest, once } from './fake-answer.ts';
import { behaviourOf, type FakeBehaviour } from './fake-behaviour.ts';
import { formField, madeBesideChat, sendMade } from './fake-media.ts';
import { chatWire, openaiError, responsesWire } from './fake-openai-frames.ts';
import { type FakeRequest, type FakeServer, sendJson, startFakeServer } from './fake-server.ts';

export interface FakeOpenAIOptions {
  /** 0, the default: any free port. */
  port?: number;
  /** Only this bearer is let in; absent: anyone. */
  apiKey?: string;
  /** What `GET /v1/models` lists. */
  models?: string[];
  /** False: `/v1/responses` answers 404, as many servers of the same API do. */
  responses?: boolean;
  /** What it understands of any sound; absent: `one two`. */
  transcript?: () => string;
  /** Overrides parts of what the model's name says. */
  script?: (request: FakeRequest) => Partial<FakeBehaviour> | undefined;
}

export interface FakeOpenAI extends FakeServer {
  /** Base URL, including `/v1`. */
  url: string;
}

/**
 * A fake that speaks OpenAI's wire formats: models, chat completions and responses, streamed and whole; images, speech, transcripts
 * and embeddings.
 * What it answers is spelled by the model's name: see `FakeBehaviour`.
 */
export async function startFakeOpenAI(options: FakeOpenAIOptions = {}): Promise<FakeOpenAI> {
  const first = once();
  const server = await startFakeServer(
    options.port ?? 0,
    (request) => String(request.body.model ?? formField(request, 'model')),
    async (request, response) => {
      const { method, path, headers } = request;
      if (options.apiKey !== undefined && headers.authorization !== `Bearer ${options.apiKey}`)
        return sendJson(response, 401, openaiError(behaviourOf('fail-401').error));
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
      const behaviour = first(request, { ...behaviourOf(request.model), ...options.script?.(request) });
      const made = madeBesideChat(request, options.transcript?.());
      if (made) return sendMade(chatWire, behaviour, response, made);
      const wire = path === '/v1/chat/completions' ? chatWire : path === '/v1/responses' ? responsesWire : null;
      if (wire === null || (wire === responsesWire && options.responses === false)) {
        const message = `Invalid URL (${method} ${path})`;
        return sendJson(response, 404, openaiError({ message, type: 'invalid_request_error', code: null }));
      }
      await answerRequest(wire, request, behaviour, response);
    },
  );
  return { ...server, url: `http://127.0.0.1:${server.port}/v1` };
}
