import { ChorusError } from '@chorus/contract';
import { RequestFailure } from '@chorus/outbound';
import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { cleanLine } from '../untrusted-text.ts';
import { McpFailure } from './mcp-failure.ts';

const MAX_MESSAGE = 1_000;

/** Describes any error of the SDK or the connection. Texts from the server are cleaned, but still untrusted. */
export function toFailure(error: unknown): McpFailure {
  if (error instanceof McpFailure) return error;
  if (error instanceof RequestFailure) {
    const notRun = error.reason === 'unreachable' || error.reason === 'insecure';
    return new McpFailure(`The MCP server failed: ${error.message}`, { notRun, cause: error });
  }
  if (error instanceof ChorusError) return new McpFailure(messageOf(error), { cause: error });
  if (error instanceof StreamableHTTPError) return ofStatus(error);
  if (error instanceof McpError) return ofProtocol(error);
  // Errors of sockets and streams have codes; those of parsers do not.
  const broken = error instanceof Error && 'code' in error && typeof error.code === 'string';
  const what = broken ? 'The connection to the MCP server broke.' : 'The answer of the MCP server is not valid MCP.';
  return new McpFailure(what, { cause: error });
}

function messageOf({ code, message }: ChorusError): string {
  return code === 'payload_too_large' ? 'The answer of the MCP server is too large.' : message;
}

function ofStatus(error: StreamableHTTPError): McpFailure {
  const { code: status = 0 } = error;
  if (status === 401 || status === 403) {
    const message = `The MCP server refuses the credentials (status ${status}). Check the stored headers.`;
    return new McpFailure(message, { notRun: true, cause: error });
  }
  if (status === 404) return new McpFailure('No MCP server answers at this URL (status 404).', { notRun: true });
  if (status > 0) return new McpFailure(`The MCP server answers with status ${status}.`, { cause: error });
  return new McpFailure('The answer of the MCP server is neither JSON nor an event stream.', { cause: error });
}

function ofProtocol(error: McpError): McpFailure {
  if (error.code === ErrorCode.RequestTimeout)
    return new McpFailure('The MCP server did not answer in time.', { cause: error });
  if (error.code === ErrorCode.ConnectionClosed)
    return new McpFailure('The connection to the MCP server was closed.', { cause: error });
  const message = `The MCP server reports an error: ${cleanLine(error.message, MAX_MESSAGE)}`;
  return new McpFailure(message, { reported: true, cause: error });
}
