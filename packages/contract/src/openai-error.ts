import { z } from 'zod';
import type { ErrorBody } from './error-body.ts';
import { ERRORS } from './errors/index.ts';

/** The `type` of errors with a specific status. */
const TYPES = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
} as const;

/** The `error` of responses under `/openai/v1`. */
export const openAiError = z.object({
  message: z.string(),
  type: z.enum([...Object.values(TYPES), 'invalid_request_error', 'server_error']),
  param: z.string().nullable().describe('The field that is invalid, such as `input[3]`'),
  code: z.string().nullable().describe('Stable name of the error. Branch on it.'),
});
export type OpenAiError = z.infer<typeof openAiError>;

/** Returns an error in OpenAI's shape. */
export function toOpenAiError({
  code,
  message,
  status,
  details,
}: Pick<ErrorBody, 'code' | 'message' | 'status' | 'details'>): OpenAiError {
  const path = details[0]?.path ?? '';
  const param = paramOf(path);
  const named = param !== null && message.startsWith(`${path}:`) ? param + message.slice(path.length) : message;
  return { message: named, type: typeOf(status), param, code: openAiCode(code) };
}

function typeOf(status: number): OpenAiError['type'] {
  if (status in TYPES) return TYPES[status as keyof typeof TYPES];
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}

/** `body.input.3` → `input[3]`. */
function paramOf(path: string): string | null {
  const name = path.replace(/^(body|query)(\.|$)/, '').replace(/\.(\d+)(?=\.|$)/g, '[$1]');
  return name === '' ? null : name;
}

/** Returns the HTTP status of an error under `/openai/v1`. */
export function openAiStatus({ code, status }: { code: string; status: number }): number {
  return TABLE[code]?.openAiStatus ?? status;
}

const TABLE: Readonly<Record<string, { status: number; openAiStatus?: number; openAiCode?: string }>> = ERRORS;

/** Returns the code of an error under `/openai/v1`. */
export function openAiCode(code: string): string {
  return TABLE[code]?.openAiCode ?? code;
}

/** Returns whether errors at this path have OpenAI's shape. */
export function isOpenAiPath(path: string): boolean {
  return /^\/openai(?:[/?]|$)/.test(path);
}
