import { type BatchKind, ChorusError, responseRequest } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import type { z } from 'zod';
import { parsePart } from '../../http/parse-part.ts';
import { checkFields } from '../../protocols/check-fields.ts';
import type { Endpoint, ResultContext } from '../../protocols/define-endpoint.ts';
import { chatCompletions } from '../chat-completions.ts';
import { embeddings } from '../embeddings.ts';
import { presentRecord } from '../responses/response-record.ts';

/** An endpoint that the requests of a batch can use. */
export interface BatchEndpoint {
  /** `/v1/embeddings` */
  readonly url: string;
  readonly kind: BatchKind;
  /**
   * Translates the body of a request into a request of the kind.
   * @returns also the fields that `present` needs
   * @throws {ChorusError} as the endpoint would
   */
  translate(body: object): { request: Record<string, unknown>; kept: Record<string, unknown> };
  /** Presents the result as the endpoint would: a body, or the pieces of its JSON. */
  present(record: ExecutionRecord, kept: Record<string, unknown>, context: ResultContext): Promise<unknown> | unknown;
}

/** Makes an endpoint available for batches. */
function toBatchEndpoint<K extends BatchKind, Body extends z.ZodObject>({
  kind,
  path,
  body,
  refused = {},
  translate,
  batch,
}: Pick<Endpoint<K, Body>, 'kind' | 'path' | 'body' | 'refused' | 'translate' | 'batch'>): BatchEndpoint {
  if (batch === undefined) throw new TypeError(`${path} does not say how batches present its results`);
  const known = new Set(Object.keys(body.shape));
  return {
    url: `/v1${path}`,
    kind,
    translate: (given) => {
      const parsed = parsePart(body, given, 'body');
      checkFields(parsed, known, refused);
      const kept = Object.fromEntries(batch.keeps.map((name) => [name, parsed[name]]));
      return { request: translate(parsed, []) as Record<string, unknown>, kept };
    },
    present: (record, kept, context) => batch.present(record, kept as Partial<z.output<Body>>, context),
  };
}

const ENDPOINTS: readonly BatchEndpoint[] = [
  toBatchEndpoint(chatCompletions),
  toBatchEndpoint(embeddings),
  toBatchEndpoint({
    kind: 'response',
    path: '/responses',
    body: responseRequest,
    translate: (request) => request,
    batch: { keeps: [], present: presentRecord },
  }),
];

export const BATCH_URLS = ENDPOINTS.map(({ url }) => url);

/** @throws {ChorusError} not_found for one that this version does not have */
export function batchEndpoint(url: string): BatchEndpoint {
  const found = ENDPOINTS.find((endpoint) => endpoint.url === url);
  if (found === undefined) throw new ChorusError('not_found', `The endpoint ${url} does not exist.`);
  return found;
}
