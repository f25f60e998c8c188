import { Readable } from 'node:stream';
import { ChorusError } from '@chorus/contract';
import { AnswerBody } from '../answer-body.ts';
import { type StandIn, toResponse } from '../call-fetch.ts';
import { watchOf } from '../call-watch.ts';
import type { BatchAnswer } from './batch-port.ts';
import { endpointOf } from './captured-request.ts';
import { toEvents } from './whole-answers.ts';

const NO_ROUTE = JSON.stringify({ error: { message: 'The batch used another endpoint.' } });
const JSON_TYPE = 'application/json';

/**
 * Answers a call with the result of its request in a batch. Whole answers become events, so that the same code reads
 * them as those of a normal call.
 */
export function standInFor({ endpoint, status, body }: BatchAnswer): StandIn {
  let given = false;
  return ({ url, init }) => {
    if (endpointOf(url) !== endpoint) return respond(NO_ROUTE, 404, JSON_TYPE, init);
    if (status < 200 || status > 299) return respond(JSON.stringify(body), status, JSON_TYPE, init);
    if (given) throw new ChorusError('provider_error', 'The answer in the batch is incomplete');
    given = true;
    const events = toEvents(endpoint, body);
    if (events === null) return respond(JSON.stringify(body), status, JSON_TYPE, init);
    return respond(events, status, 'text/event-stream', init);
  };
}

function respond(text: string, status: number, type: string, { signal }: RequestInit): Response | Promise<Response> {
  const watch = watchOf(signal);
  const body = new AnswerBody({ destroy() {} }, Readable.from([Buffer.from(text)]), watch);
  return toResponse(body, watch, status, () => ({ status, headers: { 'content-type': type } }));
}
