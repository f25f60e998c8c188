import { checkScopeForm, scopeHeaders } from '@chorus/accounts';
import { ChorusError } from '@chorus/contract';
import type { AssetRecord } from '@chorus/database';
import type { Request, RequestHandler, Response } from 'express';
import { z } from 'zod';
import { type Area, mayCarryBody, type OpenCall, type ParameterKind, type Route, servedPath } from '../define-route.ts';
import { admit, admitSigned, isSigned } from './admit.ts';
import { sendJsonText } from './answer.ts';
import { checkOrigin } from './check-origin.ts';
import { handleIdempotently } from './idempotency.ts';
import { limitAddress, limitRate } from './limit-rate.ts';
import { parameterSchema } from './parameter-kinds.ts';
import { checkQueryText, parsePart } from './parse-part.ts';
import { isForm } from './read-form.ts';
import { readJson } from './read-json.ts';
import { handleWithFiles, receiveFiles } from './receive-file.ts';
import { contextOf, type RequestContext, type ScopedContext } from './request-context.ts';
import { finishTag } from './revision-tag.ts';
import { unknownRecord } from './unknown-record.ts';

/** Serves a declared route: all checks in the contract's order, then the handler. */
export function serveRoute(route: Route): RequestHandler {
  return (_request, response) => {
    const context = contextOf(response);
    // Don't await the handler in an async function: its frame would keep the parsed body in memory while a
    // stream is open.
    return call(route, context).then((answer) => {
      if (answer === undefined) return;
      const text = JSON.stringify(answer);
      if (!finishTag(context.request, response, text)) return sendJsonText(response, 200, text);
      response.statusCode = 304;
      response.end();
    });
  };
}

/**
 * Records the matched route before anything can refuse the request. Refuses HEAD for streams, which would never
 * end.
 */
export function noteRoute(route: Route): RequestHandler {
  const path = servedPath(route);
  return (request, response, next) => {
    if ((route.streams || route.endless) && request.method === 'HEAD') return next('route');
    contextOf(response).route = path;
    next();
  };
}

async function call(route: Route, context: RequestContext): Promise<unknown> {
  const { request } = context;
  if (route.needs === 'none') {
    if (route.at !== 'root') checkScopeForm(scopeHeaders(request.headers));
    if (mayCarryBody(route)) {
      checkOrigin(context);
      if (!route.countsItself) await limitAddress(context);
    }
  } else if (route.signed !== undefined && isSigned(request)) {
    await admitSigned(route.signed, context);
  } else {
    await admit(route, route.needs, context);
    await limitRate(route, context);
  }
  const params = route.params ? checkIds(request.params, route.params) : {};
  checkQueryText(request.query);
  const query = route.query ? parsePart(route.query, request.query, 'query') : undefined;
  const renew =
    route.renew && ((answer: unknown) => renewed(route, new RouteCall(context, undefined, undefined, params), answer));
  const handle = (body: unknown, files: readonly AssetRecord[] = [], parts: readonly string[] = []) =>
    route.handle(new RouteCall(context, body, query, params, files, parts) as never);
  if (route.upload !== undefined) return handle(undefined);
  if (route.file !== undefined && isForm(request)) {
    const received = await receiveFiles(route, context as ScopedContext);
    return handleWithFiles(
      route,
      context as ScopedContext,
      received,
      (files) => handle(received.body, files, received.parts),
      renew,
    );
  }
  if (route.file !== undefined && route.file.as === undefined) throw formRequired();
  const body = await bodyOf(route, context).catch(async (error) => {
    if (route.countsItself) await limitAddress(context);
    throw error;
  });
  return handleIdempotently(route, context, body, () => handle(body), renew);
}

/**
 * Reads and validates the body. Without a declared body every field is unknown; bodies of GET and DELETE are
 * ignored.
 */
async function bodyOf(route: Route, { request, response, services: { config } }: RequestContext): Promise<unknown> {
  if (route.body === undefined && !mayCarryBody(route)) return undefined;
  const limits = { bytes: Math.min(bodyLimit(route), config.limits.jsonBytes), idleMs: config.assets.uploadIdleMs };
  const body = parsePart(route.body ?? NO_FIELDS, await readJson(request, response, limits), 'body');
  return route.body && body;
}

const NO_FIELDS = z.strictObject({});

/** Areas whose bodies are a few short fields. */
const SMALL_BODIES: readonly Area[] = ['auth', 'keys', 'workspaces'];
const SMALL_BODY_BYTES = 16_384;
/** Messages of MCP clients are kept while their calls run. */
const MESSAGE_BYTES = 262_144;

function bodyLimit({ area, body }: Route): number {
  if (area === 'mcp') return MESSAGE_BYTES;
  return body === undefined || SMALL_BODIES.includes(area) ? SMALL_BODY_BYTES : Number.POSITIVE_INFINITY;
}

function formRequired(): ChorusError {
  return new ChorusError('unsupported_media_type', 'Send the body with Content-Type: multipart/form-data.');
}

function renewed({ renew }: Route, call: RouteCall, answer: unknown): Promise<unknown> {
  return renew ? renew(call as never, answer) : Promise.resolve(answer);
}

function checkIds(given: Request['params'], kinds: Record<string, ParameterKind>): Record<string, string> {
  const ids: Record<string, string> = {};
  for (const [name, kind] of Object.entries(kinds)) {
    const value = [given[name] ?? ''].flat().join('/');
    if (!parameterSchema(kind).safeParse(value).success) throw unknownRecord(kind);
    ids[name] = kind === 'workspace' ? value.toLowerCase() : value;
  }
  return ids;
}

/** The arguments of a handler. Uses getters, so that a call allocates one small object. */
class RouteCall implements OpenCall<unknown, unknown, Record<string, string>> {
  readonly context: RequestContext;
  readonly body: unknown;
  readonly query: unknown;
  readonly params: Record<string, string>;
  readonly files: readonly AssetRecord[];
  readonly parts: readonly string[];

  constructor(
    context: RequestContext,
    body: unknown,
    query: unknown,
    params: Record<string, string>,
    files: readonly AssetRecord[] = [],
    parts: readonly string[] = [],
  ) {
    this.context = context;
    this.body = body;
    this.query = query;
    this.params = params;
    this.files = files;
    this.parts = parts;
  }

  get file(): AssetRecord | null {
    return this.files[0] ?? null;
  }
  get request(): Request {
    return this.context.request;
  }
  get response(): Response {
    return this.context.response;
  }
  get requestId(): string {
    return this.context.requestId;
  }
  get services() {
    return this.context.services;
  }
  get log() {
    return this.context.log;
  }
  get credential() {
    return this.context.credential;
  }
  get user() {
    return this.context.credential?.user;
  }
  get actor() {
    return this.context.actor;
  }
  get agent() {
    return this.context.agent;
  }
  get owner() {
    return this.context.owner;
  }
  get role() {
    return this.context.role;
  }
}
