import { z } from 'zod';
import type { ErrorBody } from './error-body.ts';
import { openAiStatus } from './openai-error.ts';

/** The `type` of errors with a specific status. */
const TYPES = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
} as const;

/** The body of error responses under `/anthropic`, and the data of a stream's `error` event. */
export const anthropicError = z.object({
  type: z.literal('error'),
  error: z.object({
    type: z.enum([...Object.values(TYPES), 'invalid_request_error', 'api_error']),
    message: z.string(),
    details: z
      .object({ error_code: z.string().describe('Stable name of the error. Branch on it.') })
      .describe('The cause, for programs'),
  }),
  request_id: z.string().nullable(),
});
export type AnthropicError = z.infer<typeof anthropicError>;

/** Returns the body of an error in Anthropic's shape. */
export function toAnthropicError(error: Pick<ErrorBody, 'code' | 'message' | 'status' | 'request_id'>): AnthropicError {
  const { code, request_id } = error;
  const type = typeOf(anthropicStatus(error));
  return {
    type: 'error',
    error: { type, message: messageOf(error), details: { error_code: code } },
    request_id,
  };
}

/** Returns the message. Clients compact a conversation if it says that the prompt is too long. */
function messageOf({ code, message }: Pick<ErrorBody, 'code' | 'message'>): string {
  const said = message.replaceAll(/\b(body|query)\./g, '');
  return code === 'context_too_long' && !/prompt is too long/i.test(said) ? `prompt is too long: ${said}` : said;
}

/** Returns the HTTP status of an error under `/anthropic`. */
export function anthropicStatus(error: { code: string; status: number }): number {
  const status = openAiStatus(error);
  return status === 503 ? 529 : status;
}

function typeOf(status: number): AnthropicError['error']['type'] {
  if (status in TYPES) return TYPES[status as keyof typeof TYPES];
  return status >= 500 ? 'api_error' : 'invalid_request_error';
}

/** Returns whether errors at this path have Anthropic's shape. */
export function isAnthropicPath(path: string): boolean {
  return /^\/anthropic(?:[/?]|$)/.test(path);
}
