import { type ErrorBody, type ErrorCode, errorBody } from '@chorus/contract';
import { z } from 'zod';
import { RPC_CODES } from './protocol.ts';

export const MCP_PATH = '/mcp';

/** Returns whether errors at this path have JSON-RPC's shape. */
export const isMcpPath = (path: string) => path === MCP_PATH || path === `${MCP_PATH}/`;

export const rpcId = z.union([z.string().max(256), z.int()]);
export type RpcId = z.infer<typeof rpcId>;

/** A client's message: a request with an id, a notification, or an answer, for which nothing here waits. */
export const clientMessage = z.looseObject(
  {
    jsonrpc: z.literal('2.0'),
    id: rpcId.optional(),
    method: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('`initialize`, `ping`, `tools/list`, `tools/call`, or a notification'),
    params: z.looseObject({}).optional(),
  },
  { error: 'must be one JSON-RPC message; batches are not supported' },
);
export type ClientMessage = z.infer<typeof clientMessage>;

/** The answer to a request. */
export const rpcAnswer = z.object({
  jsonrpc: z.literal('2.0'),
  id: rpcId.nullable(),
  result: z.looseObject({}).optional(),
  error: z.object({ code: z.int(), message: z.string() }).optional(),
});

/** The body of a refused HTTP request. `data` is the platform's error. */
export const rpcErrorAnswer = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.null(),
  error: z.object({ code: z.int(), message: z.string(), data: errorBody }),
});

/** A request that is answered with a protocol error. */
export class RpcError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.name = 'RpcError';
    this.code = code;
  }
}

/** The code that the protocol's own SDK uses for an ended session. */
const SESSION_NOT_FOUND = -32_001;
const REFUSED = -32_000;

const CODES: Partial<Record<ErrorCode, number>> = {
  invalid_json: RPC_CODES.parseError,
  invalid_request: RPC_CODES.invalidRequest,
  not_found: SESSION_NOT_FOUND,
  internal_error: RPC_CODES.internalError,
};

/** Returns the platform's error as the body of a refused request. */
export function toRpcError(error: ErrorBody & Record<string, unknown>): z.infer<typeof rpcErrorAnswer> {
  const code = CODES[error.code as ErrorCode] ?? REFUSED;
  return { jsonrpc: '2.0', id: null, error: { code, message: error.message, data: error } };
}

export const rpcResult = (id: RpcId, result: object) => ({ jsonrpc: '2.0' as const, id, result });

export const rpcFailure = (id: RpcId, { code, message }: RpcError) => ({
  jsonrpc: '2.0' as const,
  id,
  error: { code, message },
});
