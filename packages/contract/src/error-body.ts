import { z } from 'zod';
import type { ChorusError } from './errors/index.ts';

/** The error of a failed execution, and the `error` of HTTP error responses. */
export const errorBody = z.object({
  code: z.string().describe('Stable name of the error. Branch on it.'),
  message: z.string(),
  status: z.int(),
  details: z.array(z.object({ path: z.string(), message: z.string() })).max(100),
  request_id: z.string().nullable(),
  retry_after_s: z.int().optional().describe('Seconds after which a retry may succeed'),
  docs: z.string().optional(),
});
export type ErrorBody = z.infer<typeof errorBody>;

/** Returns the error as JSON, without its cause, which is only logged. */
export function toErrorBody(error: ChorusError, requestId: string | null): ErrorBody & Record<string, unknown> {
  return {
    ...error.extra,
    code: error.code,
    message: error.message,
    status: error.status,
    details: error.details,
    request_id: requestId,
    docs: `/docs/api#errors-${error.code}`,
  };
}
