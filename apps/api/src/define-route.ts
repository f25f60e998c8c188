import type { Credential, RateClass } from '@chorus/accounts';
import type { Action, Actor, ErrorCode, IdKind, Owner, Role, User } from '@chorus/contract';
import type { AgentRecord, AssetRecord } from '@chorus/database';
import type { AssetVariant } from '@chorus/executions';
import type { Logger } from '@chorus/log';
import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { RequestContext, ScopedContext } from './http/request-context.ts';
import type { Services } from './services.ts';

/** Parts of the platform, as the documentation groups them. */
export const AREAS = {
  auth: 'Log in, refresh tokens, log out, who am I.',
  keys: 'API keys: credentials for programs, limited as you like.',
  workspaces: 'Workspaces, their members and invitations, and the audit log.',
  agents: 'Agents: instructions, a model and settings under a name, applied by `X-Agent-ID`.',
  chat: 'Run chat turns: waited, queued or streamed.',
  iris: 'Images, videos, OCR, and whether a file was made here.',
  voice: 'Speak and be spoken to: a turn that is heard, answered by the session, and spoken.',
  knowledge: 'Your documents: take them in, look at them, ask them, search them.',
  batches: 'Many requests at once: fed to the workers in turn with others, followed, cancelled, run again.',
  jobs: 'Executions: look at them, follow their events, cancel, retry.',
  webhooks: 'Signed posts that tell of ends: their secret, and what became of them.',
  sessions: 'Conversations.',
  messages: 'The messages of conversations: read, edit with history, undo, delete.',
  archive: 'What is to last: texts, and snapshots of sessions, messages and knowledge entries, with their history.',
  assets: 'Files: uploaded, or made by executions; their content by signed addresses.',
  models: 'Models that can be run now.',
  operations:
    'Health, metrics and this document. Outside `/api/v1` and without authentication, but for the list of users.',
} as const;
export type Area = keyof typeof AREAS;

/** What a path can name: a record by its id, or a workspace. */
export type ParameterKind = IdKind | 'workspace';

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/**
 * What a handler gets. A handler of a stream should hand on `context` and keep nothing else of this alive: the parsed
 * body may be megabytes.
 */
export interface OpenCall<Body, Query, Params> {
  readonly body: Body;
  readonly query: Query;
  readonly params: Params;
  readonly context: RequestContext;
  /** Who does this, for the audit log. */
  readonly actor: Actor & { address: string };
  readonly request: Request;
  readonly response: Response;
  readonly requestId: string;
  readonly services: Services;
  /** Carries `request_id`. */
  readonly log: Logger;
}

/** The same for routes that ask for a credential: the user is known, and the scope's headers were checked. */
export interface ScopedCall<Body, Query, Params> extends OpenCall<Body, Query, Params> {
  readonly context: ScopedContext;
  readonly credential: Credential;
  readonly user: User;
  readonly owner: Owner;
  readonly role: Role;
  /** The one that `X-Agent-ID` names. */
  readonly agent: AgentRecord | null;
  /** What a request with a file brought: stored, and an asset of the scope by now. */
  readonly file: AssetRecord | null;
  /** All of them, where there may be several. */
  readonly files: readonly AssetRecord[];
}

/** A body that comes as `multipart/form-data`, with a file in the part `file`. */
export interface FileBody {
  /** How many files there may be, each in a part `file` of its own; absent: one. */
  readonly most?: number;
  /** The field of `body` that gets the id of the asset which the file becomes: such a request may also be JSON that names one there. Absent: there is always a file. */
  readonly as?: string;
}

type Call<Needs, Body, Query, Params> = Needs extends 'none'
  ? OpenCall<Body, Query, Params>
  : ScopedCall<Body, Query, Params>;

export interface RouteDefinition<
  Needs extends 'none' | Action,
  Body extends z.ZodType | undefined,
  Query extends z.ZodType | undefined,
  Params extends Record<string, ParameterKind>,
  Answer,
  Returned extends Answer | undefined,
> {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  /** As Express writes it, `/sessions/:session_id`; under `/api/v1` unless `at` is `root`. */
  readonly path: `/${string}`;
  readonly at?: 'root';
  readonly area: Area;
  /** One line for the documentation. */
  readonly summary: string;
  /** More for the documentation, in Markdown. */
  readonly description?: string;
  /** What a caller does here, after the one table of roles; `none`: no credential is asked for. */
  readonly needs: Needs;
  readonly body?: Body;
  readonly query?: Query;
  /** What the handler reads of the request itself, piece by piece, by media type: for the documentation. An `Idempotency-Key` is its business then. */
  readonly upload?: Readonly<Record<string, z.ZodType>>;
  /** Whether files come with it. What `body` declares are then the form's other fields. A handler that refuses leaves no asset behind. */
  readonly file?: FileBody;
  /** Which part of an asset it gives: then a signature for that in the query stands for a credential, and `context.signed` tells of the asset. */
  readonly signed?: AssetVariant;
  /** Path parameters that are ids. A malformed one is answered like an unknown one. With `workspace_id` the route runs in that workspace. */
  readonly params?: Params;
  /** The body of a success, which is always status 200. */
  readonly answer: z.ZodType<unknown, Answer>;
  /** Other statuses of a success, for the documentation; with one of an error the same body comes. */
  readonly alsoAnswers?: Readonly<Record<number, string>>;
  /** Media type of the answer, if it isn't JSON. */
  readonly answerType?: string;
  /** Whether it begins an execution: it is counted as one, and with an `Idempotency-Key` that came before it joins that one. */
  readonly executes?: true;
  /** What it is counted as; absent: an execution, else a read or a write. */
  readonly rateClass?: RateClass;
  /** Whether the answer holds a secret that is shown once: it is never kept for an `Idempotency-Key`. */
  readonly secret?: true;
  /** Whether the answer may also be `text/event-stream`. */
  readonly streams?: true;
  /** Whether the answer may go on and on, so that there is no HEAD of it; events do anyway. */
  readonly endless?: true;
  /** Request headers with a meaning of their own here, for the documentation: name and description. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers of a success with a meaning of their own here, for the documentation. */
  readonly answerHeaders?: Readonly<Record<string, string>>;
  /** Errors with a status that nothing else declared here implies, for the documentation. */
  readonly refuses?: readonly ErrorCode[];
  /** What of the answer is kept for an `Idempotency-Key`, where it holds what is long; `renew` puts that back. */
  keep?(answer: Answer): Answer;
  /** Makes an answer that was kept for an `Idempotency-Key` good again, where it holds what expires. */
  renew?(call: Call<Needs, undefined, undefined, Params>, answer: Answer): Promise<Answer>;
  /** Gives the answer's body; or nothing, when it has answered through `response` itself. */
  handle(
    call: Call<Needs, Parsed<Body>, Parsed<Query>, { readonly [Name in keyof Params]: string }>,
  ): Promise<Returned>;
}

/** A declared route, whatever its schemas. */
export type Route = RouteDefinition<
  'none' | Action,
  z.ZodType | undefined,
  z.ZodType | undefined,
  Record<string, ParameterKind>,
  unknown,
  unknown
>;

/** Declares a route. It is served, documented and checked from this declaration alone. */
export function defineRoute<
  const Needs extends 'none' | Action,
  Answer,
  const Returned extends Answer | undefined,
  Body extends z.ZodType | undefined = undefined,
  Query extends z.ZodType | undefined = undefined,
  const Params extends Record<string, ParameterKind> = Record<never, never>,
>(definition: RouteDefinition<Needs, Body, Query, Params, Answer, Returned>): Route {
  return definition as unknown as Route;
}

/** Where a route is served, as Express writes it. */
export function servedPath(route: Pick<Route, 'at' | 'path'>): string {
  return route.at === 'root' ? route.path : `/api/v1${route.path}`;
}

/** Whether what comes with such a request is read, be it to find that nothing was expected. */
export function mayCarryBody({ method }: Pick<Route, 'method'>): boolean {
  return method === 'post' || method === 'patch';
}
