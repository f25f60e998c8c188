import { refusalHeaders, refusalOf } from '@chorus/accounts';
import {
  anthropicStatus,
  ChorusError,
  type ErrorBody,
  isAnthropicPath,
  isOpenAiPath,
  openAiStatus,
  toAnthropicError,
  toErrorBody,
  toOpenAiError,
} from '@chorus/contract';
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

  for (const [name, value] of Object.entries(refusalHeaders(error))) response.setHeader(name, value);
  if (error.status === 415 && request.headers['content-encoding'] !== undefined)
    response.setHeader('Accept-Encoding', BODY_ENCODINGS);
  sendErrorBody(context, toErrorBody(error, context.requestId));
}

/** Sends an error with the status and in the shape of the surface that the request came to. */
export function sendErrorBody(
  { request: { path }, response }: Pick<RequestContext, 'request' | 'response'>,
  error: ErrorBody & Record<string, unknown>,
): void {
  if (isOpenAiPath(path)) sendJson(response, openAiStatus(error), { error: toOpenAiError(error) });
  else if (isAnthropicPath(path)) sendJson(response, anthropicStatus(error), toAnthropicError(error));
  else sendJson(response, error.status, isMcpPath(path) ? toRpcError(error) : { error });
}

/** Omits the stack of our own errors: under load there are thousands, and the code shows where they were thrown. */
function failureOf(error: ChorusError, { route }: RequestContext) {
  return { code: error.code, reason: error.message, route, ...(error.cause !== undefined && { err: error.cause }) };
}

function asChorusError(thrown: unknown): ChorusError {
  if (thrown instanceof URIError) return new ChorusError('route_not_found', 'The path is not validly encoded.');
  return refusalOf(thrown);
}
