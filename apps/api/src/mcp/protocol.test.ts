import { ErrorCode, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js';
import { expect, it } from 'vitest';
import { PROTOCOL_VERSIONS, RPC_CODES } from './protocol.ts';

it("has the versions and codes of the protocol's own SDK", () => {
  expect(PROTOCOL_VERSIONS).toEqual(SUPPORTED_PROTOCOL_VERSIONS);
  expect(RPC_CODES).toEqual({
    parseError: ErrorCode.ParseError,
    invalidRequest: ErrorCode.InvalidRequest,
    methodNotFound: ErrorCode.MethodNotFound,
    invalidParams: ErrorCode.InvalidParams,
    internalError: ErrorCode.InternalError,
  });
});
