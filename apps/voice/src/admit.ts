import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import {
  type AskedScope,
  agentHeader,
  type Credential,
  checkRate,
  checkRights,
  credentialScope,
  enterScope,
  presentedCredential,
  rateLimitHeaders,
  rateSubjectOf,
  scopeHeaders,
  type TicketScope,
  verifyPresented,
} from '@chorus/accounts';
import { ChorusError, isId, isOpenAiPath } from '@chorus/contract';
import type { Caller, SessionRequest } from './caller.ts';
import type { VoiceServices } from './voice-services.ts';

/** Subprotocol by which OpenAI's browser clients send a credential. */
export const TOKEN_PROTOCOL = 'openai-insecure-api-key.';

/** Query parameters that replace headers, which browsers cannot set on a socket. */
const IN_QUERY = {
  'x-scope-type': ['scope_type', 'x_scope_type'],
  'x-workspace-id': ['workspace_id', 'x_workspace_id'],
  'x-agent-id': ['agent_id', 'x_agent_id'],
} as const;

export interface Admission {
  caller: Caller;
  sessionRequest: SessionRequest;
}

/**
 * Authenticates a request for a socket and checks its scope and permissions, in the same order as routes do.
 *
 * @param onHeaders receives response headers, even if the request is refused
 * @throws {ChorusError} unauthorized, token_expired, conflicting_credentials; invalid_scope, invalid_header;
 * forbidden, role_forbidden,
 * workspace_forbidden; rate_limited; invalid_request; not_found for the session; store_unavailable
 */
export async function admit(
  { accounts, database, rateLimits }: VoiceServices,
  request: IncomingMessage,
  requestId: string,
  onHeaders: (headers: Record<string, string>) => void,
): Promise<Admission> {
  const query = new URL(request.url ?? '/', 'http://localhost').searchParams;
  const { credential, scope } = await identify(accounts, request, query);
  const given = scope ?? askedScope(request.headers, query);
  const asked =
    isOpenAiPath(request.url ?? '') && scope === null ? { ...given, ...credentialScope(credential, given) } : given;
  const { owner, role, agent } = await enterScope({ accounts, agents: database.agents }, credential, asked);
  checkRights(credential, role, 'run');
  const decision = await rateLimits.take(rateSubjectOf(credential), 'executions');
  if (decision !== null) {
    onHeaders(rateLimitHeaders(decision.limits));
    checkRate(decision);
  }
  checkKind(query);
  const sessionId = named(query, 'session_id');
  if (sessionId !== null && !(isId('session', sessionId) && (await database.sessions.get(owner, sessionId))))
    throw new ChorusError('not_found', 'Session not found.');
  return {
    caller: { owner, credential, agent, requestId },
    sessionRequest: { model: named(query, 'model'), sessionId, voice: named(query, 'voice') },
  };
}

/** Authenticates by header, subprotocol, or ticket. A ticket also carries the scope. */
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
    throw new ChorusError('conflicting_credentials', 'Send only one credential.');
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

function askedHeaders(headers: IncomingHttpHeaders, query: URLSearchParams): IncomingHttpHeaders {
  const asked: IncomingHttpHeaders = {};
  for (const [header, names] of Object.entries(IN_QUERY)) {
    const given = [headers[header], ...names.flatMap((name) => query.getAll(name))].filter((one) => one !== undefined);
    if (new Set(given).size > 1) throw otherScope(header, 'is given twice with different values');
    if (given[0] !== undefined) asked[header] = given[0];
  }
  return asked;
}

function ofTicket(scope: TicketScope, asked: IncomingHttpHeaders): AskedScope {
  const own = {
    'x-scope-type': scope.scope_type,
    'x-workspace-id': scope.workspace_id ?? undefined,
    'x-agent-id': scope.agent_id ?? undefined,
  };
  for (const [header, value] of Object.entries(own)) {
    const other = asked[header];
    if (other !== undefined && other !== value) throw otherScope(header, 'does not match the ticket');
  }
  return { scopeType: own['x-scope-type'], workspaceId: own['x-workspace-id'], agentId: scope.agent_id };
}

function otherScope(header: string, what: string): ChorusError {
  return new ChorusError('invalid_scope', `${header} ${what}.`, {
    details: [{ path: `headers.${header}`, message: what }],
  });
}

/** Rejects the protocol's other session types. */
function checkKind(query: URLSearchParams): void {
  const wrong = query.has('call_id') ? 'call_id' : query.get('intent') === 'transcription' ? 'intent' : null;
  if (wrong === null) return;
  throw new ChorusError('invalid_request', `query.${wrong}: this socket supports only conversations.`, {
    details: [{ path: `query.${wrong}`, message: 'only conversations are supported' }],
  });
}

function named(query: URLSearchParams, name: string): string | null {
  const value = query.get(name)?.trim();
  return value ? value.slice(0, 200) : null;
}
