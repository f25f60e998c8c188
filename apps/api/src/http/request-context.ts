import type { ErrorCode, Owner, Role, User } from '@chorus/contract';
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
  user: User | null = null;
  owner: Owner | null = null;
  role: Role | null = null;
  /** For the request's log line. */
  executionId: string | null = null;
  errorCode: ErrorCode | null = null;
  #log: Logger | null = null;

  constructor(request: Request, response: Response, services: Services, requestId: string) {
    this.request = request;
    this.response = response;
    this.services = services;
    this.requestId = requestId;
  }

  /** A logger that carries `request_id`; made on first use, since most requests never log. */
  get log(): Logger {
    this.#log ??= this.services.log.child({ request_id: this.requestId });
    return this.#log;
  }
}

/** The context of a request whose user and scope are known. */
export type ScopedContext = RequestContext & { user: User; owner: Owner; role: Role };

export function setContext(response: Response, context: RequestContext): void {
  response.locals.context = context;
}

export function contextOf(response: Response): RequestContext {
  return response.locals.context as RequestContext;
}
