import { ChorusError, toErrorBody } from '@chorus/contract';
import { isRedisAway } from '@chorus/events';
import type { ErrorRequestHandler } from 'express';
import { sendJson } from './answer.ts';
import { discardRest } from './discard-rest.ts';
import { isForm } from './read-form.ts';
import { ClientGoneError } from './read-json.ts';
import { contextOf, type RequestContext } from './request-context.ts';

/** The only place where errors become answers. */
export const answerError: ErrorRequestHandler = (thrown: unknown, _request, response, _next) => {
  sendError(contextOf(response), thrown);
};

/**
 * Answers with an error in the contract's shape. What is not a ChorusError is a 500 that shows nothing: its cause goes to
 * the log, under the request's id. After the headers were sent, only cutting the connection still tells of an error.
 */
export function sendError(context: RequestContext, thrown: unknown): void {
  const { request, response } = context;
  if (thrown instanceof ClientGoneError) return void response.destroy();
  const error = asChorusError(thrown);
  context.errorCode = error.code;
  if (error.code === 'internal_error') context.log.error({ err: thrown, route: context.route }, 'request failed');
  else if (error.status >= 500) context.log.warn(failureOf(error, context), 'request failed');
  if (response.headersSent) return void response.destroy();

  const { status } = error;
  if (status === 401) response.setHeader('WWW-Authenticate', challenge(error));
  if (status === 409 || status === 429 || status === 503) {
    response.setHeader('Retry-After', Math.max(1, Math.ceil(error.retryAfterS ?? 1)));
  }
  // OpenAI's clients would send a 409 again by themselves.
  if (status === 409) response.setHeader('x-should-retry', 'false');
  if ((status === 413 || isForm(request)) && !request.complete) discardRest(request);
  sendJson(response, status, { error: toErrorBody(error, context.requestId) });
}

/** Without our own error's stack: under load these come by the thousand, and its code says where it was thrown. */
function failureOf(error: ChorusError, { route }: RequestContext) {
  return { code: error.code, reason: error.message, route, ...(error.cause !== undefined && { err: error.cause }) };
}

function asChorusError(thrown: unknown): ChorusError {
  if (thrown instanceof ChorusError) return thrown;
  // The router could not decode the path, so it names nothing.
  if (thrown instanceof URIError) return new ChorusError('route_not_found', 'There is no such path.');
  if (isRedisAway(thrown)) {
    return new ChorusError('store_unavailable', 'Redis does not answer; try again shortly.', {
      retryAfterS: 2,
      cause: thrown,
    });
  }
  return new ChorusError('internal_error', 'Something went wrong on our side. The request id finds it in the logs.');
}

/** RFC 6750, section 3: without a token no error is named. */
function challenge(error: ChorusError): string {
  const realm = 'Bearer realm="chorus"';
  return error.code === 'token_expired' ? `${realm}, error="invalid_token", error_description="expired"` : realm;
}
