import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { ChorusError, newId, type Owner } from '@chorus/contract';
import type { Database, IdempotencyRecord } from '@chorus/database';
import { poll } from '@chorus/runtime/timing';
import type { Area, Route } from '../define-route.ts';
import type { RequestContext, ScopedContext } from './request-context.ts';

const RETENTION_MS = 24 * 3_600_000;

/** A request that takes longer than this has lost its process. */
const ABANDONED_AFTER_MS = 60_000;

/** How long, and how often, a request looks for the execution that another request with its key is starting. */
const JOIN_TIMEOUT_MS = 5_000;
const POLL_INTERVAL_MS = 50;

/** Larger responses are not stored. A repeated request is then refused, never run twice. */
const MAX_ANSWER_CHARS = 1_000_000;

/**
 * Returns the request's `Idempotency-Key`, or null.
 * @throws {ChorusError} invalid_header
 */
export function readIdempotencyKey(request: IncomingMessage): string | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new ChorusError('invalid_header', 'The Idempotency-Key header is malformed.', {
    details: [{ path: 'headers.idempotency-key', message: 'must be 1 to 255 visible ASCII characters' }],
  });
}

/** Hashes what a request asks for. How its response is delivered does not count. */
export function fingerprintOf(request: { method: string; url: string }, body: unknown): string {
  const asked = isPlain(body) ? { ...body, stream: undefined } : (body ?? null);
  const text = JSON.stringify([request.method, request.url, asked], (_, value: unknown) =>
    isPlain(value) ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))) : value,
  );
  return createHash('sha256').update(text).digest('base64url');
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export interface IdempotentRequest<T> {
  database: Pick<Database, 'idempotency' | 'executions'>;
  owner: Owner;
  key: string;
  fingerprint: string;
  /** Runs the request. Its execution must get the id `executionId`. */
  run: (executionId: string | undefined) => Promise<T>;
  /** For requests that create a record other than an execution: its id, and a test whether it exists. */
  begins?: { id: string; hasBegun: (id: string) => Promise<boolean> };
  /** Answers with the execution (or record) of an earlier request. Absent: the request starts none. */
  join?: ((executionId: string) => Promise<T>) | undefined;
  /** Selects the part of the response to store. Default: all of it. */
  keep?: ((answer: T) => T) | undefined;
  /** Renews a stored response, such as one with expired URLs. */
  renew?: ((answer: T) => Promise<T>) | undefined;
}

/**
 * Runs a request once per key and day. Repeats get the first response, or join its execution.
 * @throws {ChorusError} idempotency_mismatch when the key was used for a different request;
 * idempotency_in_flight while the first one runs
 */
export async function runOnce<T>(parts: IdempotentRequest<T>): Promise<T> {
  const { database, owner, key, fingerprint, join, renew } = parts;
  const now = new Date();
  const executionId = plannedId(parts);
  const record = { fingerprint, execution_id: executionId, answer: null, started_at: now };
  const earlier = await database.idempotency.begin(owner, key, {
    ...record,
    expires_at: new Date(now.getTime() + RETENTION_MS),
  });
  if (earlier === null) return execute(parts, executionId);
  if (earlier.fingerprint !== fingerprint) {
    throw new ChorusError('idempotency_mismatch', 'This Idempotency-Key was used for a different request.', {
      details: [{ path: 'headers.idempotency-key', message: 'must be new for each different request' }],
    });
  }
  if (earlier.gone)
    throw new ChorusError(
      'not_found',
      'The first request with this Idempotency-Key created a record that was deleted.',
    );
  if (earlier.answer !== null) {
    const answer = JSON.parse(earlier.answer) as T;
    return renew ? renew(answer) : answer;
  }
  if (join && earlier.execution_id !== null && (await hasBegun(parts, earlier.execution_id)))
    return join(earlier.execution_id);
  return takeOver(parts, earlier);
}

async function execute<T>(parts: IdempotentRequest<T>, executionId: string | null): Promise<T> {
  const { database, owner, key, run, join, keep = (answer) => answer } = parts;
  try {
    const answer = await run(executionId ?? undefined);
    if (!join) {
      const text = JSON.stringify(keep(answer)) ?? 'null';
      if (text.length <= MAX_ANSWER_CHARS) await database.idempotency.complete(owner, key, text);
    }
    return answer;
  } catch (error) {
    // A refused request has had no effect. After most other errors that is unknown, so the key stays taken.
    if (error instanceof ChorusError && error.notStarted)
      await database.idempotency.release(owner, key).catch(() => undefined);
    throw error;
  }
}

/** Handles a first request that has not finished: it still runs, or its process died. */
async function takeOver<T>(parts: IdempotentRequest<T>, earlier: IdempotencyRecord): Promise<T> {
  const { database, owner, key } = parts;
  const again = { execution_id: plannedId(parts), started_at: new Date() };
  const dead = Date.now() - earlier.started_at.getTime() > ABANDONED_AFTER_MS;
  if (dead && (await database.idempotency.reclaim(owner, key, earlier.started_at, again)))
    return execute(parts, again.execution_id);
  throw new ChorusError(
    'idempotency_in_flight',
    'The first request with this Idempotency-Key is still running. Retry later.',
    {
      retryAfterS: 1,
    },
  );
}

/** Returns the id of the record to create. Null: nothing that could be joined. */
function plannedId<T>({ join, begins }: IdempotentRequest<T>): string | null {
  return join ? (begins?.id ?? newId('job')) : null;
}

async function hasBegun<T>({ database, owner, begins }: IdempotentRequest<T>, id: string): Promise<boolean> {
  const look = begins?.hasBegun ?? (async () => (await database.executions.get(owner, id)) !== null);
  return (await poll(() => look(id), { everyMs: POLL_INTERVAL_MS, withinMs: JOIN_TIMEOUT_MS })) ?? false;
}

/** Their responses contain secrets that are shown once, or change credentials. */
const NEVER_STORED: readonly Area[] = ['auth', 'keys'];

/** Returns whether a route supports `Idempotency-Key`. Calls of MCP tools implement it themselves. */
export function supportsIdempotency(route: Route): boolean {
  const { method, needs, area, at, secret } = route;
  return method === 'post' && needs !== 'none' && at !== 'mcp' && !NEVER_STORED.includes(area) && !secret;
}

/**
 * Runs a route's handler. With an `Idempotency-Key`, runs it once per key.
 * @param renew renews a stored response
 */
export function handleIdempotently(
  route: Route,
  context: RequestContext,
  body: unknown,
  handle: () => Promise<unknown>,
  renew?: (answer: unknown) => Promise<unknown>,
): Promise<unknown> {
  const key = supportsIdempotency(route) ? readIdempotencyKey(context.request) : null;
  if (key === null) return handle();
  const scoped = context as ScopedContext;
  const { executes } = route;
  const { method, originalUrl: url } = context.request;
  return runOnce({
    database: context.services.database,
    owner: scoped.owner,
    key,
    fingerprint: fingerprintOf({ method, url }, body),
    run: (executionId) => {
      context.plannedExecutionId = executionId;
      return handle();
    },
    keep: (answer) => (answer === undefined ? context.answerToKeep : (route.keep?.(answer) ?? answer)),
    renew,
    join: executes && ((executionId) => executes(scoped, executionId, streamOf(body), body)),
  });
}

function streamOf(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'stream' in body && body.stream === true;
}
