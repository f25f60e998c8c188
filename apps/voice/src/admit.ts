import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import {
  type AskedScope,
  agentHeader,
  type Credential,
  checkRate,
  checkRights,
  enterScope,
  presentedCredential,
  rateLimitHeaders,
  rateSubjectOf,
  scopeHeaders,
  type TicketScope,
  verifyPresented,
} from '@chorus/accounts';
import { ChorusError, isId } from '@chorus/contract';
import type { Asked, Caller } from './caller.ts';
import type { VoiceServices } from './voice-services.ts';

/** By this name among the subprotocols OpenAI's clients in browsers bring a credential. */
export const TOKEN_PROTOCOL = 'openai-insecure-api-key.';

/** Where the query may say what a browser's socket can't put into a header. */
const IN_QUERY = {
  'x-scope-type': ['scope_type', 'x_scope_type'],
  'x-workspace-id': ['workspace_id', 'x_workspace_id'],
  'x-agent-id': ['agent_id', 'x_agent_id'],
} as const;

/** Somebody who may speak, and what they want. */
export interface Admitted {
  caller: Caller;
  asked: Asked;
}

/**
 * Finds out who wants a socket, in which scope, and checks that they may: as for any request that executes, in the same order.
 *
 * @param tell takes headers of the answer, also of one that refuses
 * @throws {ChorusError} unauthorized, token_expired, conflicting_credentials; invalid_scope, invalid_header; forbidden, role_forbidden,
 *   workspace_forbidden; rate_limited; invalid_request; not_found for the session; store_unavailable
 */
export async function admit(
  { accounts, database, rateLimits }: VoiceServices,
  request: IncomingMessage,
  requestId: string,
  tell: (headers: Record<string, string>) => void,
): Promise<Admitted> {
  const query = new URL(request.url ?? '/', 'http://localhost').searchParams;
  const { credential, scope } = await identify(accounts, request, query);
  const asked = scope ?? askedScope(request.headers, query);
  const { owner, role, agent } = await enterScope({ accounts, agents: database.agents }, credential, asked);
  checkRights(credential, role, 'run');
  const decision = await rateLimits.take(rateSubjectOf(credential), 'executions');
  if (decision !== null) {
    tell(rateLimitHeaders(decision.limits));
    checkRate(decision);
  }
  checkKind(query);
  const sessionId = named(query, 'session_id');
  if (sessionId !== null && !(isId('session', sessionId) && (await database.sessions.get(owner, sessionId))))
    throw new ChorusError('not_found', 'There is no such session.');
  return {
    caller: { owner, credential, agent, requestId },
    asked: { model: named(query, 'model'), sessionId, voice: named(query, 'voice') },
  };
}

/** Who asks: by a header, by a subprotocol, or by a ticket, which says the scope, too. */
async function identify(
  accounts: VoiceServices['accounts'],
  request: IncomingMessage,
  query: URLSearchParams,
): Promise<{ credential: Credential; scope: AskedScope | null }> {
  const presented = presentedCredential(request);
  const tokens = (request.headers['sec-websocket-protocol'] ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name.startsWith(TOKEN_PROTOCOL))
    .map((name) => name.slice(TOKEN_PROTOCOL.length));
  const tickets = query.getAll('ticket');
  if (tokens.length + tickets.length + (presented === null ? 0 : 1) > 1)
    throw new ChorusError('conflicting_credentials', 'Send one credential.');
  const [ticket] = tickets;
  if (ticket !== undefined) {
    const { credential, scope } = await accounts.tickets.redeem(ticket);
    return { credential, scope: ofTicket(scope, askedHeaders(request.headers, query)) };
  }
  const [token] = tokens;
  const brought = token === undefined ? presented : { bearer: token };
  if (brought === null) {
    const ways = `Authorization: Bearer <token>, X-API-Key, the subprotocol ${TOKEN_PROTOCOL}<token>, or ?ticket=`;
    throw new ChorusError('unauthorized', `Authentication is missing: send ${ways}.`);
  }
  return { credential: await verifyPresented(accounts, brought), scope: null };
}

function askedScope(headers: IncomingHttpHeaders, query: URLSearchParams): AskedScope {
  const asked = askedHeaders(headers, query);
  return { ...scopeHeaders(asked), agentId: agentHeader(asked) };
}

/** The headers that say where to act, with what the query says in their place. */
function askedHeaders(headers: IncomingHttpHeaders, query: URLSearchParams): IncomingHttpHeaders {
  const asked: IncomingHttpHeaders = {};
  for (const [header, names] of Object.entries(IN_QUERY)) {
    const given = [headers[header], ...names.flatMap((name) => query.getAll(name))].filter((one) => one !== undefined);
    if (new Set(given).size > 1) throw otherScope(header, 'is said twice, and not the same');
    if (given[0] !== undefined) asked[header] = given[0];
  }
  return asked;
}

/** The scope of a ticket; what is said beside it must be the same. */
function ofTicket(scope: TicketScope, asked: IncomingHttpHeaders): AskedScope {
  const own = {
    'x-scope-type': scope.scope_type,
    'x-workspace-id': scope.workspace_id ?? undefined,
    'x-agent-id': scope.agent_id ?? undefined,
  };
  for (const [header, value] of Object.entries(own)) {
    const other = asked[header];
    if (other !== undefined && other !== value) throw otherScope(header, 'is not that of the ticket');
  }
  return { scopeType: own['x-scope-type'], workspaceId: own['x-workspace-id'], agentId: scope.agent_id };
}

function otherScope(header: string, what: string): ChorusError {
  return new ChorusError('invalid_scope', `${header} ${what}.`, {
    details: [{ path: `headers.${header}`, message: what }],
  });
}

/** The protocol has other kinds of sockets, too. */
function checkKind(query: URLSearchParams): void {
  const wrong = query.has('call_id') ? 'call_id' : query.get('intent') === 'transcription' ? 'intent' : null;
  if (wrong === null) return;
  throw new ChorusError('invalid_request', `query.${wrong}: this socket holds conversations alone.`, {
    details: [{ path: `query.${wrong}`, message: 'only conversations are held here' }],
  });
}

function named(query: URLSearchParams, name: string): string | null {
  const value = query.get(name)?.trim();
  return value ? value.slice(0, 200) : null;
}
