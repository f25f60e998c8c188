import { refusalHeaders, refusalOf } from '@chorus/accounts';
import { ChorusError, type ErrorBody, isOpenAiPath, openAiStatus, toErrorBody, toOpenAiError } from '@chorus/contract';
import type { ErrorRequestHandler } from 'express';
import { isMcpPath, toRpcError } from '../mcp/json-rpc.ts';
import { sendJson } from './answer.ts';
import { BODY_ENCODINGS, ClientGoneError } from './open-body.ts';
import { contextOf, type RequestContext } from './request-context.ts';

/** The only place that turns errors into responses. */
export const answerError: ErrorRequestHandler = (thrown: unknown, _request, response, _next) => {
  sendError(contextOf(response), thrown);
};

/**
 * Answers with an error in the surface's shape. Other errors become a 500 without details, and are logged with
 * the request id. If the headers were already sent, the connection is closed instead.
 */
export function sendError(context: RequestContext, thrown: unknown): void {
  const { request, response } = context;
  if (thrown instanceof ClientGoneError) return void response.destroy();
  const error = asChorusError(thrown);
  context.errorCode = error.code;
  if (error.code === 'internal_error') context.log.error({ err: thrown, route: context.route }, 'request failed');
  else if (error.status >= 500) context.log.warn(failureOf(error, context), 'request failed');
  if (response.headersSent) return void response.destroy();

  const status = shownStatus(context, error);
  for (const [name, value] of Object.entries(refusalHeaders(error))) response.setHeader(name, value);
  if (status === 415 && request.headers['content-encoding'] !== undefined)
    response.setHeader('Accept-Encoding', BODY_ENCODINGS);
  const body = toErrorBody(error, context.requestId);
  sendJson(response, status, isMcpPath(request.path) ? toRpcError(body) : { error: shownError(context, body) });
}

/** Returns an error in the shape of the surface that the request came to. */
export function shownError(
  { request }: Pick<RequestContext, 'request'>,
  error: ErrorBody & Record<string, unknown>,
): object {
  return isOpenAiPath(request.path) ? toOpenAiError(error) : error;
}

/** Returns the status of an error on the surface that the request came to. */
export function shownStatus(
  { request }: Pick<RequestContext, 'request'>,
  error: Pick<ErrorBody, 'code' | 'status'>,
): number {
  return isOpenAiPath(request.path) ? openAiStatus(error) : error.status;
}

/** Omits the stack of our own errors: under load there are thousands, and the code shows where they were thrown. */
function failureOf(error: ChorusError, { route }: RequestContext) {
  return { code: error.code, reason: error.message, route, ...(error.cause !== undefined && { err: error.cause }) };
}

function asChorusError(thrown: unknown): ChorusError {
  if (thrown instanceof URIError) return new ChorusError('route_not_found', 'The path is not validly encoded.');
  return refusalOf(thrown);
}
