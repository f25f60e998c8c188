import { ERRORS, type ErrorCode, errorBody, openAiError, openAiStatus } from '@chorus/contract';
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
};

const RETRY_AFTER = { 'Retry-After': { description: 'Seconds', schema: { type: 'integer' as const } } };

export function errorResponseName({ at }: Pick<Route, 'at'>, status: number): string {
  const name = REASONS[status];
  if (name === undefined) throw new Error(`Error status ${status} has no name in the documentation`);
  return (at === 'openai' ? OPENAI_PREFIX : at === 'mcp' ? RPC_PREFIX : '') + name;
}

/** Prefix of the responses with errors in OpenAI's shape. */
const OPENAI_PREFIX = 'OpenAi';
/** Prefix of those in JSON-RPC's shape. */
const RPC_PREFIX = 'Rpc';

/** Documents one response per error status, with the codes that it can carry. */
export function errorResponses(): Record<string, ZodOpenApiResponseObject> {
  return {
    ...responsesWith('', z.object({ error: errorBody }), ({ status }) => status),
    ...responsesWith(OPENAI_PREFIX, z.object({ error: openAiError }), openAiStatus),
    ...responsesWith(RPC_PREFIX, rpcErrorAnswer, ({ status }) => status),
  };
}

function responsesWith(
  prefix: string,
  body: z.ZodType,
  statusOf: (error: { code: ErrorCode; status: number }) => number,
): Record<string, ZodOpenApiResponseObject> {
  const all = Object.entries(ERRORS) as [ErrorCode, { status: number }][];
  return Object.fromEntries(
    Object.entries(REASONS).map(([status, name]) => {
      const codes = all.filter(([code, error]) => statusOf({ code, status: error.status }) === Number(status));
      return [
        prefix + name,
        {
          description: codes.map(([code]) => `\`${code}\``).join(' · '),
          ...(['409', '429', '503'].includes(status) ? { headers: RETRY_AFTER } : {}),
          content: { 'application/json': { schema: body } },
        },
      ];
    }),
  );
}
