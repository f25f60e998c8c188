import { refusalHeaders, refusalOf } from '@chorus/accounts';
import { ChorusError, toErrorBody } from '@chorus/contract';
import type { ErrorRequestHandler } from 'express';
import { sendJson } from './answer.ts';
import { BODY_ENCODINGS, ClientGoneError } from './open-body.ts';
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
  for (const [name, value] of Object.entries(refusalHeaders(error))) response.setHeader(name, value);
  if (status === 415 && request.headers['content-encoding'] !== undefined)
    response.setHeader('Accept-Encoding', BODY_ENCODINGS);
  sendJson(response, status, { error: toErrorBody(error, context.requestId) });
}

/** Without our own error's stack: under load these come by the thousand, and its code says where it was thrown. */
function failureOf(error: ChorusError, { route }: RequestContext) {
  return { code: error.code, reason: error.message, route, ...(error.cause !== undefined && { err: error.cause }) };
}

function asChorusError(thrown: unknown): ChorusError {
  // The router could not decode the path, so it names nothing.
  if (thrown instanceof URIError) return new ChorusError('route_not_found', 'There is no such path.');
  return refusalOf(thrown);
}
