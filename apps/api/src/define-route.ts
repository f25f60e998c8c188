import type { Credential, RateClass } from '@chorus/accounts';
import type { Action, Actor, ErrorCode, IdKind, Owner, Role, User } from '@chorus/contract';
import type { AgentRecord, AssetRecord } from '@chorus/database';
import type { AssetVariant } from '@chorus/executions';
import type { Logger } from '@chorus/runtime/log';
import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { RequestContext, ScopedContext } from './http/request-context.ts';
import type { Services } from './services.ts';

/** Areas of the API, as its documentation groups them. */
export const AREAS = {
  auth: 'Log in, refresh tokens, log out, and see who you are.',
  keys: 'API keys: credentials for programs, with the permissions you choose.',
  workspaces: 'Workspaces, their members and invitations, and the audit log.',
  agents: 'Agents: named instructions, model and settings, applied with `X-Agent-ID`.',
  prompts: 'Prompts: texts for messages, shared in a scope.',
  tools: 'Tools for agents: MCP servers, and APIs with an OpenAPI document.',
  chat: 'Run chat turns: wait for the answer, queue it, or stream it.',
  iris: 'Generate images and videos, read text from images (OCR), and verify where a file comes from.',
  voice: 'Spoken turns: speech in, an answer from the session, speech out. Speech from text, and text from speech.',
  knowledge: 'Your documents: add, list, search, and ask questions about them.',
  batches: 'Batches of many requests: create, follow, cancel, retry.',
  jobs: 'Executions: get them, follow their events, cancel, retry.',
  webhooks: 'Webhooks for finished executions: the signing secret, and past deliveries.',
  sessions: 'Conversations.',
  messages: 'Messages of sessions: read, edit with history, undo, delete.',
  archive: 'Archive: texts, and snapshots of sessions, messages and knowledge entries, with their history.',
  assets: 'Files that were uploaded or generated. Get their content with signed URLs.',
  models: 'Models that are available now.',
  openai:
    "OpenAI's API under `/openai/v1`, for programs that take a base URL and a key. The API key decides the scope.",
  anthropic:
    "Anthropic's Messages API under `/anthropic`, for its SDKs and Claude Code, with every chat model. The API key decides the scope.",
  mcp: 'Chorus as an MCP server at `/mcp` (streamable HTTP), for programs whose models use its tools. The API key decides the scope.',
  operations:
    'Health, metrics and this document. Outside `/api/v1` and without authentication, except for the list of users.',
} as const;
export type Area = keyof typeof AREAS;

/** Kinds of path parameters: a record's id, a workspace, a model's name, or an id of OpenAI's API. */
export type ParameterKind =
  | IdKind
  | 'shareToken'
  | 'workspace'
  | 'model'
  | 'provider'
  | 'response'
  | 'file'
  | 'fileBatch';

/** A schema type without the methods of `z.ZodType`, which the compiler compares faster. */
type Schema = z.core.$ZodType;

type Parsed<Given> = Given extends Schema ? z.output<Given> : undefined;

/**
 * The arguments of a handler. A streaming handler should keep only `context`, since the parsed body may be
 * megabytes.
 */
export interface OpenCall<Body, Query, Params> {
  readonly body: Body;
  readonly query: Query;
  readonly params: Params;
  readonly context: RequestContext;
  /** The caller, for the audit log. */
  readonly actor: Actor & { address: string };
  readonly request: Request;
  readonly response: Response;
  readonly requestId: string;
  readonly services: Services;
  /** Includes `request_id`. */
  readonly log: Logger;
}

/** The arguments of a handler that needs a credential. The user and the scope are known. */
export interface ScopedCall<Body, Query, Params> extends OpenCall<Body, Query, Params> {
  readonly context: ScopedContext;
  readonly credential: Credential;
  readonly user: User;
  readonly owner: Owner;
  readonly role: Role;
  /** The agent that `X-Agent-ID` names. */
  readonly agent: AgentRecord | null;
  /** The uploaded file, already stored as an asset of the scope. */
  readonly file: AssetRecord | null;
  /** All uploaded files, if several are allowed. */
  readonly files: readonly AssetRecord[];
  /** The names of their parts. */
  readonly parts: readonly string[];
}

/** A `multipart/form-data` body with files. */
export interface FileBody {
  /** Names of the parts with files. Clients may add `[]`. Default: `file`. */
  readonly parts?: readonly [string, ...string[]];
  /** Maximum number of files, each in its own part. Default: 1. */
  readonly maxFiles?: number;
  /**
   * The field of `body` that gets the file's asset id. Requests may then also be JSON that names an asset in
   * this field. Absent: a file is required.
   */
  readonly as?: string;
}

type Call<Needs, Body, Query, Params> = Needs extends 'none'
  ? OpenCall<Body, Query, Params>
  : ScopedCall<Body, Query, Params>;

export interface RouteDefinition<
  Needs extends 'none' | Action,
  Body extends Schema | undefined,
  Query extends Schema | undefined,
  Params extends Record<string, ParameterKind>,
  Answer,
  Returned extends Answer | undefined,
> {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  /** An Express path such as `/sessions/:session_id`, under `/api/v1` unless `at` says otherwise. */
  readonly path: `/${string}`;
  /**
   * `openai`: under `/openai/v1`, with OpenAI's shapes also for errors. The credential decides the scope, and
   * scope headers are optional. `anthropic`: the same under `/anthropic/v1`, with Anthropic's shapes. `mcp`: at
   * `/mcp`, where the same applies and errors have JSON-RPC's shape.
   */
  readonly at?: 'root' | 'openai' | 'anthropic' | 'mcp';
  readonly area: Area;
  readonly summary: string;
  /** Markdown for the documentation. */
  readonly description?: string;
  /** The action that the caller must be allowed to do. `none`: no credential is needed. */
  readonly needs: Needs;
  readonly body?: Body;
  readonly query?: Query;
  /**
   * Bodies that the handler reads as a stream, by media type, for the documentation. The handler also
   * implements `Idempotency-Key`.
   */
  readonly upload?: Readonly<Record<string, z.ZodType>>;
  /** Accepts files, with `body` as the form's other fields. If the handler fails, the assets are removed. */
  readonly file?: FileBody;
  /**
   * The part of an asset that the route serves. A signature in the query can then replace the credential, and
   * `context.signed` holds the asset.
   */
  readonly signed?: AssetVariant;
  /**
   * Path parameters. A malformed one is not found. With `workspace_id`, the route runs in that workspace.
   */
  readonly params?: Params;
  /** The response body. Its status is always 200. */
  readonly answer: z.core.$ZodType<unknown, Answer>;
  /** Other success statuses, for the documentation. An error status listed here has the same body. */
  readonly alsoAnswers?: Readonly<Record<number, string>>;
  /** Media type of the response, unless it is JSON. */
  readonly answerType?: string;
  /**
   * Marks the route as starting an execution. Answers with the execution of an earlier request with the same
   * `Idempotency-Key`.
   */
  readonly executes?: (
    context: ScopedContext,
    executionId: string,
    stream: boolean,
    body: unknown,
  ) => Promise<undefined>;
  /** Rate limit class. Default: execution, read or write, by the route. */
  readonly rateClass?: RateClass;
  /** The handler of an open route counts its requests, since only it knows which of them are guesses. */
  readonly countsItself?: true;
  /** The response contains a secret that is shown once, so it is never stored for an `Idempotency-Key`. */
  readonly secret?: true;
  /** The response may also be `text/event-stream`. A schema: of its frames, if they are not the platform's. */
  readonly streams?: true | z.ZodType;
  /** The response may be endless, so the route has no HEAD. Event streams never have one. */
  readonly endless?: true;
  /** Request headers specific to this route, for the documentation. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Response headers specific to this route, for the documentation. */
  readonly answerHeaders?: Readonly<Record<string, string>>;
  /** Errors that the rest of the declaration does not imply, for the documentation. */
  readonly refuses?: readonly ErrorCode[];
  /** Shortens a response before it is stored for an `Idempotency-Key`. `renew` restores it. */
  keep?(answer: Answer): Answer;
  /** Renews a stored response, such as one with expired URLs. */
  renew?(call: Call<Needs, undefined, undefined, Params>, answer: Answer): Promise<Answer>;
  /** Returns the response body, or undefined if it has used `response` itself. */
  handle(
    call: Call<Needs, Parsed<Body>, Parsed<Query>, { readonly [Name in keyof Params]: string }>,
  ): Promise<Returned>;
}

export type Route = RouteDefinition<
  'none' | Action,
  z.ZodType | undefined,
  z.ZodType | undefined,
  Record<string, ParameterKind>,
  unknown,
  unknown
>;

/** Declares a route. The server, the documentation and the access checks derive from it. */
export function defineRoute<
  const Needs extends 'none' | Action,
  Answer,
  const Returned extends Answer | undefined,
  Body extends Schema | undefined = undefined,
  Query extends Schema | undefined = undefined,
  const Params extends Record<string, ParameterKind> = Record<never, never>,
>(definition: RouteDefinition<Needs, Body, Query, Params, Answer, Returned>): Route {
  return definition as unknown as Route;
}

/** Returns the full Express path of a route. */
export function servedPath(route: Pick<Route, 'at' | 'path'>): string {
  return PREFIXES[route.at ?? 'api'] + route.path;
}

const PREFIXES = { root: '', mcp: '', api: '/api/v1', openai: '/openai/v1', anthropic: '/anthropic/v1' } as const;

/** Returns whether the credential of a request decides its scope. */
export function isScopedByCredential({ at }: Pick<Route, 'at'>): boolean {
  return at === 'openai' || at === 'anthropic' || at === 'mcp';
}

/** Returns whether the request's body is read, if only to refuse unexpected fields. */
export function mayCarryBody({ method }: Pick<Route, 'method'>): boolean {
  return method === 'post' || method === 'patch';
}
