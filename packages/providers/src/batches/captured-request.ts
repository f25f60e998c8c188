import type { JSONObject } from '@ai-sdk/provider';
import { answerInstead, type StandIn } from '../call-fetch.ts';
import type { BatchEndpoint, PlannedRequest } from './batch-port.ts';

const ENDPOINT =
  /\/(chat\/completions|responses|embeddings|messages)$|:(streamGenerateContent|embedContent|batchEmbedContents)$/;

/** Returns the endpoint of a request's URL. Null: batches cannot use it. */
export function endpointOf(url: string): BatchEndpoint | null {
  const match = ENDPOINT.exec(new URL(url).pathname);
  const name = match?.[1] ?? match?.[2];
  if (name === undefined || name === 'batchEmbedContents') return null;
  return name === 'streamGenerateContent' ? 'generateContent' : (name as BatchEndpoint);
}

/** Keeps the requests that calls would send. */
export class RequestCapture {
  readonly #requests: (PlannedRequest | null)[] = [];

  /** Makes requests with this signal get a stand-in's answer. */
  take(signal: AbortSignal, answer: StandIn): AbortSignal {
    return answerInstead(signal, (request) => {
      this.#requests.push(toPlanned(request.url, request.init));
      return answer(request);
    });
  }

  /** Returns the only request. Null: there are several, or a batch can't run it. */
  only(): PlannedRequest | null {
    const [request] = this.#requests;
    return request === undefined || this.#requests.length > 1 ? null : request;
  }
}

/** Service tiers that make no difference in a batch. Others have their own price and speed. */
const PLAIN_TIERS: ReadonlySet<unknown> = new Set([
  undefined,
  'auto',
  'default',
  'on_demand',
  'standard',
  'standard_only',
]);

function toPlanned(url: string, { body: text, headers }: RequestInit): PlannedRequest | null {
  const endpoint = endpointOf(url);
  if (endpoint === null || typeof text !== 'string') return null;
  const { stream, stream_options, ...body } = JSON.parse(text) as JSONObject;
  const { service_tier, serviceTier, speed } = body;
  if (!PLAIN_TIERS.has(service_tier) || !PLAIN_TIERS.has(serviceTier) || speed !== undefined) return null;
  const betas = new Headers(headers).get('anthropic-beta')?.split(',') ?? [];
  return { endpoint, body: withWholeToolInputs(body), betas: betas.map((name) => name.trim()) };
}

/** Removes Anthropic's option to stream the inputs of tools. */
function withWholeToolInputs(body: JSONObject): JSONObject {
  if (!Array.isArray(body.tools)) return body;
  const tools = (body.tools as JSONObject[]).map(({ eager_input_streaming, ...tool }) => tool);
  return { ...body, tools };
}
