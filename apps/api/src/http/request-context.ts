import type { Client, Credential } from '@chorus/accounts';
import type { Actor, ErrorCode, Owner, Role } from '@chorus/contract';
import type { AgentRecord, AssetRecord } from '@chorus/database';
import { type Addresses, addressesAt } from '@chorus/executions';
import type { Logger } from '@chorus/runtime/log';
import { currentSpan, type Span } from '@chorus/runtime/tracing';
import type { Request, Response } from 'express';
import type { Services } from '../services.ts';

/** The state of a request while it is served. Small, because each open stream keeps one. */
export class RequestContext {
  readonly request: Request;
  readonly response: Response;
  readonly services: Services;
  readonly requestId: string;
  /** By the clock of `performance.now()`. */
  readonly startedAt = performance.now();
  /** The route's pattern, such as `/api/v1/sessions/:session_id`. Null until one matched. */
  route: string | null = null;
  credential: Credential | null = null;
  owner: Owner | null = null;
  role: Role | null = null;
  /** The agent that `X-Agent-ID` names. */
  agent: AgentRecord | null = null;
  /** The asset of a signed URL, and the seconds until the URL expires. Null: a credential was used. */
  signed: { asset: AssetRecord; leftS: number } | null = null;
  /** The id that this request's execution must get. Undefined: a new one. */
  plannedExecutionId: string | undefined;
  /** The response to store for an `Idempotency-Key` if the actual response is a stream. */
  answerToKeep: unknown;
  /** For the log. */
  executionId: string | null = null;
  /** The request's span in its trace. */
  span: Span = currentSpan();
  /** The MCP tool that the request calls. */
  tool: string | null = null;
  errorCode: ErrorCode | null = null;
  #log: Logger | null = null;
  #addresses: Addresses | null = null;

  constructor(request: Request, response: Response, services: Services, requestId: string) {
    this.request = request;
    this.response = response;
    this.services = services;
    this.requestId = requestId;
  }

  /** The caller, for the audit log. */
  get actor(): Actor & { address: string } {
    const { credential, request, requestId } = this;
    return {
      user_id: credential?.user.id ?? null,
      key_id: credential?.key?.id ?? null,
      address: request.ip ?? '',
      request_id: requestId,
    };
  }

  /** The client of a login. */
  get client(): Client {
    const { address, request_id } = this.actor;
    return { address, request_id, user_agent: this.request.headers['user-agent'] ?? null };
  }

  /** Builds URLs that this client can open: with `PUBLIC_URL`, else with the origin of the request. */
  get addresses(): Addresses {
    const { services, request } = this;
    if (services.config.http.publicUrl !== null) return services.addresses;
    this.#addresses ??= addressesAt(originOf(request) ?? services.addresses.baseUrl, services.addresses);
    return this.#addresses;
  }

  /** A logger with the `request_id`, created on first use since most requests log nothing. */
  get log(): Logger {
    this.#log ??= this.services.log.child({ request_id: this.requestId });
    return this.#log;
  }
}

/** A host with an optional port, without characters that could change the rest of a URL. */
const HOST = /^(?:[a-z0-9_.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

/** Returns the origin that the client used, or null if the request does not contain it. */
function originOf(request: Request): string | null {
  const { host } = request;
  return typeof host === 'string' && HOST.test(host) ? `${request.protocol}://${host.toLowerCase()}` : null;
}

export type ScopedContext = RequestContext & { credential: Credential; owner: Owner; role: Role };

export function setContext(response: Response, context: RequestContext): void {
  response.locals.context = context;
}

export function contextOf(response: Response): RequestContext {
  return response.locals.context as RequestContext;
}
