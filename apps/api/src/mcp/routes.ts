import { ChorusError } from '@chorus/contract';
import { z } from 'zod';
import { defineRoute, type Route } from '../define-route.ts';
import { holdPlace } from '../responses/hold-place.ts';
import { dropInput } from '../responses/openai-style.ts';
import { answerCall } from './answer-call.ts';
import { checkRequest } from './check-request.ts';
import { clientMessage, MCP_PATH, rpcAnswer } from './json-rpc.ts';
import { readResumption } from './resumption.ts';
import { serveMessage } from './serve-message.ts';
import { endSession, SESSION_HEADER, SessionCall, sessionOf } from './sessions.ts';
import { TOOLS } from './tools/index.ts';

const headers = {
  [SESSION_HEADER]: 'From the answer to `initialize`. Needed to cancel calls.',
  'Mcp-Protocol-Version': 'The version that `initialize` has returned.',
};

/** How long a resumed stream lasts. */
const RESUMED_MS = 600_000;

const serveMcp = defineRoute({
  method: 'post',
  path: MCP_PATH,
  at: 'mcp',
  area: 'mcp',
  summary: 'Send a message of the Model Context Protocol',
  description:
    'Streamable HTTP. A call of a tool is answered by a stream with its progress and result, other requests by JSON. ' +
    'Calls run as executions: they count against the same limits, are listed by `GET /api/v1/jobs`, and continue when ' +
    'the client disconnects. `notifications/cancelled` cancels them, on any process. Tools that run work need `run`.',
  needs: 'read',
  rateClass: 'reads',
  body: clientMessage,
  answer: rpcAnswer,
  alsoAnswers: { 202: 'A notification was accepted.' },
  streams: rpcAnswer,
  headers: {
    ...headers,
    Prefer: '`wait=<s>`: how long a call waits for its result, 0 to 300, default 600.',
    'Idempotency-Key': 'For a call, like `_meta.idempotencyKey`: repeats join its execution.',
  },
  answerHeaders: { [SESSION_HEADER]: 'With the answer to `initialize`.' },
  refuses: ['not_found'],
  handle: async ({ body, context }) => {
    checkRequest(context);
    return serveMessage(context, body, body.method === 'initialize' ? null : await sessionOf(context));
  },
});

const resumeMcp = defineRoute({
  method: 'get',
  path: MCP_PATH,
  at: 'mcp',
  area: 'mcp',
  summary: 'Resume the stream of a call',
  description: 'On any process. There is no other stream, so without `Last-Event-ID` the status is 405.',
  needs: 'read',
  answer: rpcAnswer,
  streams: rpcAnswer,
  headers: { ...headers, 'Last-Event-ID': 'The id of the last event that you received.' },
  refuses: ['method_not_allowed', 'not_found'],
  handle: async ({ request, response, services, owner, context }) => {
    checkRequest(context);
    const session = await sessionOf(context);
    const eventId = request.headers['last-event-id'];
    const resumed = typeof eventId === 'string' ? readResumption(eventId) : null;
    const tool = resumed === null ? undefined : TOOLS.get(resumed.tool);
    const record = resumed === null ? null : await services.database.executions.get(owner, resumed.job);
    const call = resumed === null || session === null ? null : new SessionCall(context, session, resumed.id);
    // Clients that get 405 stop asking.
    if (resumed === null || tool === undefined || record === null || (await call?.isCancelled())) {
      response.setHeader('Allow', 'POST, DELETE');
      throw new ChorusError('method_not_allowed', 'There is no stream to resume here.');
    }
    await holdPlace(context, 'waits');
    context.executionId = record.id;
    context.tool = tool.name;
    dropInput(record);
    const reader = await services.hub.open(record.id, resumed.seq);
    const running = { tool, record, reader, waitMs: RESUMED_MS };
    const { id, token: progressToken } = resumed;
    return answerCall(context, running, { id, progressToken, cancellable: call, canResume: true, resumed });
  },
});

const endMcpSession = defineRoute({
  method: 'delete',
  path: MCP_PATH,
  at: 'mcp',
  area: 'mcp',
  summary: 'End a session',
  description: 'Later requests with its id are 404. Work that runs continues.',
  needs: 'read',
  answer: z.object({}),
  headers,
  refuses: ['invalid_request', 'not_found'],
  handle: async ({ context }) => {
    checkRequest(context);
    const session = await sessionOf(context);
    if (session !== null) {
      await endSession(context, session);
      return {};
    }
    const path = `headers.${SESSION_HEADER.toLowerCase()}`;
    throw new ChorusError('invalid_request', `${path}: is required`, { details: [{ path, message: 'is required' }] });
  },
});

/** Chorus as an MCP server. */
export const mcpRoutes: readonly Route[] = [serveMcp, resumeMcp, endMcpSession];
