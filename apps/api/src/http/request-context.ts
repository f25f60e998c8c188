import type { Credential } from '@chorus/accounts';
import type { Actor, ErrorCode, Owner, Role } from '@chorus/contract';
import type { AgentRecord, AssetRecord } from '@chorus/database';
import { type Addresses, addressesAt } from '@chorus/executions';
import type { Logger } from '@chorus/log';
import type { Request, Response } from 'express';
import type { Services } from '../services.ts';

/** What is known of a request while it is served. Small, because each open stream keeps one. */
export class RequestContext {
  readonly request: Request;
  readonly response: Response;
  readonly services: Services;
  readonly requestId: string;
  /** On `performance.now()`'s clock, in milliseconds. */
  readonly startedAt = performance.now();
  /** The route's pattern, such as `/api/v1/sessions/:session_id`; null until one matched. */
  route: string | null = null;
  credential: Credential | null = null;
  owner: Owner | null = null;
  role: Role | null = null;
  /** The one that `X-Agent-ID` names. */
  agent: AgentRecord | null = null;
  /** The asset whose signed address was used, and how many seconds that is still good; null: a credential was. */
  signed: { asset: AssetRecord; leftS: number } | null = null;
  /** The id that the execution of this request must get; undefined: a new one. */
  plannedExecutionId: string | undefined;
  /** What is kept for an `Idempotency-Key` where the answer itself is a stream. */
  answerToKeep: unknown;
  /** For the request's log line. */
  executionId: string | null = null;
  errorCode: ErrorCode | null = null;
  #log: Logger | null = null;
  #addresses: Addresses | null = null;

  constructor(request: Request, response: Response, services: Services, requestId: string) {
    this.request = request;
    this.response = response;
    this.services = services;
    this.requestId = requestId;
  }

  /** Who does this, for the audit log. */
  get actor(): Actor & { address: string } {
    const { credential, request, requestId } = this;
    return {
      user_id: credential?.user.id ?? null,
      key_id: credential?.key?.id ?? null,
      address: request.ip ?? '',
      request_id: requestId,
    };
  }

  /** Builds URLs that this client can open: they start with `PUBLIC_URL`, else with the origin that the request came to. */
  get addresses(): Addresses {
    const { services, request } = this;
    if (services.config.http.publicUrl !== null) return services.addresses;
    this.#addresses ??= addressesAt(originOf(request) ?? services.addresses.baseUrl, services.addresses);
    return this.#addresses;
  }

  /** A logger that carries `request_id`; made on first use, since most requests never log. */
  get log(): Logger {
    this.#log ??= this.services.log.child({ request_id: this.requestId });
    return this.#log;
  }
}

/** A host name or address with an optional port, and nothing that could change the rest of a URL. */
const HOST = /^(?:[a-z0-9_.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

/** Returns the scheme and host by which the client reached us, or null where the request does not say. */
function originOf(request: Request): string | null {
  const { host } = request;
  return typeof host === 'string' && HOST.test(host) ? `${request.protocol}://${host.toLowerCase()}` : null;
}

/** The context of a request whose user and scope are known. */
export type ScopedContext = RequestContext & { credential: Credential; owner: Owner; role: Role };

export function setContext(response: Response, context: RequestContext): void {
  response.locals.context = context;
}

export function contextOf(response: Response): RequestContext {
  return response.locals.context as RequestContext;
}
