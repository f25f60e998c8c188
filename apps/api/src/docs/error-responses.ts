import {
  anthropicError,
  anthropicStatus,
  ERRORS,
  type ErrorCode,
  errorBody,
  openAiError,
  openAiStatus,
} from '@chorus/contract';
import { z } from 'zod';
import type { ZodOpenApiResponseObject } from 'zod-openapi';
import type { Route } from '../define-route.ts';
import { rpcErrorAnswer } from '../mcp/json-rpc.ts';

const REASONS: Record<number, string> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  409: 'Conflict',
  413: 'PayloadTooLarge',
  415: 'UnsupportedMediaType',
  416: 'RangeNotSatisfiable',
  422: 'InvalidHeaders',
  429: 'RateLimited',
  500: 'InternalError',
  502: 'ProviderFailed',
  503: 'Unavailable',
  504: 'ProviderTimeout',
  529: 'Overloaded',
};

const RETRY_AFTER = { 'Retry-After': { description: 'Seconds', schema: { type: 'integer' as const } } };

export function errorResponseName({ at }: Pick<Route, 'at'>, status: number): string {
  const name = REASONS[status];
  if (name === undefined) throw new Error(`Error status ${status} has no name in the documentation`);
  return (PREFIXES[at ?? 'api'] ?? '') + name;
}

/** Prefixes of the responses whose errors have another shape than the platform's. */
const PREFIXES: Readonly<Record<string, string>> = { openai: 'OpenAi', anthropic: 'Anthropic', mcp: 'Rpc' };

/** Returns the status of an error where a route is served. */
export function statusAt({ at }: Pick<Route, 'at'>, error: { code: ErrorCode; status: number }): number {
  if (at === 'anthropic') return anthropicStatus(error);
  return at === 'openai' ? openAiStatus(error) : error.status;
}

/** Documents one response per error status, with the codes that it can carry. */
export function errorResponses(): Record<string, ZodOpenApiResponseObject> {
  return {
    ...responsesAt({}, z.object({ error: errorBody })),
    ...responsesAt({ at: 'openai' }, z.object({ error: openAiError })),
    ...responsesAt({ at: 'anthropic' }, anthropicError),
    ...responsesAt({ at: 'mcp' }, rpcErrorAnswer),
  };
}

function responsesAt(route: Pick<Route, 'at'>, body: z.ZodType): Record<string, ZodOpenApiResponseObject> {
  const all = Object.entries(ERRORS) as [ErrorCode, { status: number }][];
  const codesOf = (status: number) =>
    all.filter(([code, error]) => statusAt(route, { code, status: error.status }) === status).map(([code]) => code);
  return Object.fromEntries(
    Object.keys(REASONS)
      .map((status) => ({ status: Number(status), codes: codesOf(Number(status)) }))
      .filter(({ codes }) => codes.length > 0)
      .map(({ status, codes }) => [
        errorResponseName(route, status),
        {
          description: codes.map((code) => `\`${code}\``).join(' · '),
          ...([409, 429, 503, 529].includes(status) ? { headers: RETRY_AFTER } : {}),
          content: { 'application/json': { schema: body } },
        },
      ]),
  );
}
