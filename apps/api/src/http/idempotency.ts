import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { ChorusError, newId, type Owner } from '@chorus/contract';
import type { Database, IdempotencyRecord } from '@chorus/database';

const KEPT_MS = 24 * 3_600_000;

/** No request takes this long to begin its execution, or to be done with everything else: its process has died. */
const GIVEN_UP_AFTER_MS = 60_000;

/** How long a request waits for the execution that another one with its key is just beginning, and how often it looks, in milliseconds. */
const JOIN_WITHIN_MS = 5_000;
const LOOK_EVERY_MS = 50;

/** An answer larger than this is not kept: the request is then refused when it comes again, but never done twice. */
const MAX_ANSWER_CHARS = 1_000_000;

/**
 * The request's `Idempotency-Key`; null: it has none.
 *
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

/** Hash of what a request asks for; how its answer is delivered does not count. */
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

export interface OnceParts<T> {
  database: Pick<Database, 'idempotency' | 'executions'>;
  owner: Owner;
  key: string;
  fingerprint: string;
  /** Does what the request asks for; `executionId` is the id that its execution must get. */
  run: (executionId: string | undefined) => Promise<T>;
  /** What a request begins that begins no execution and is joined all the same: its id, and whether one has begun. */
  begins?: { id: string; hasBegun: (id: string) => Promise<boolean> };
  /** Answers with what an earlier request has begun, an execution unless `begins` says otherwise; absent for requests that begin none. */
  join?: ((executionId: string) => Promise<T>) | undefined;
  /** What of the answer is kept; absent: all. */
  keep?: ((answer: T) => T) | undefined;
  /** Makes of an answer that was kept one that is good now; absent: it is. */
  renew?: ((answer: T) => Promise<T>) | undefined;
}

/**
 * Does a request once, however often it comes within a day: the first is done, the others get its answer, or its execution.
 *
 * @throws {ChorusError} idempotency_mismatch for another request under the same key; idempotency_in_flight while the first is being done
 */
export async function once<T>(parts: OnceParts<T>): Promise<T> {
  const { database, owner, key, fingerprint, join, renew } = parts;
  const now = new Date();
  const executionId = plannedId(parts);
  const record = { fingerprint, execution_id: executionId, answer: null, started_at: now };
  const earlier = await database.idempotency.begin(owner, key, {
    ...record,
    expires_at: new Date(now.getTime() + KEPT_MS),
  });
  if (earlier === null) return doIt(parts, executionId);
  if (earlier.fingerprint !== fingerprint) {
    throw new ChorusError('idempotency_mismatch', 'This Idempotency-Key was used for another request.', {
      details: [{ path: 'headers.idempotency-key', message: 'must be new for a request that is not the same' }],
    });
  }
  if (earlier.gone)
    throw new ChorusError('not_found', 'What the first request with this Idempotency-Key made was deleted.');
  if (earlier.answer !== null) {
    const answer = JSON.parse(earlier.answer) as T;
    return renew ? renew(answer) : answer;
  }
  if (join && earlier.execution_id !== null && (await hasBegun(parts, earlier.execution_id)))
    return join(earlier.execution_id);
  return takeOver(parts, earlier);
}

async function doIt<T>(parts: OnceParts<T>, executionId: string | null): Promise<T> {
  const { database, owner, key, run, join, keep = (answer) => answer } = parts;
  try {
    const answer = await run(executionId ?? undefined);
    if (!join) {
      const text = JSON.stringify(keep(answer)) ?? 'null';
      if (text.length <= MAX_ANSWER_CHARS) await database.idempotency.complete(owner, key, text);
    }
    return answer;
  } catch (error) {
    // What was refused has done nothing. After most other errors that is not known: the key stays taken.
    if (error instanceof ChorusError && error.unbegun)
      await database.idempotency.forget(owner, key).catch(() => undefined);
    throw error;
  }
}

/** The first request has not come to its end: it is still being done, or its process died over it. */
async function takeOver<T>(parts: OnceParts<T>, earlier: IdempotencyRecord): Promise<T> {
  const { database, owner, key } = parts;
  const again = { execution_id: plannedId(parts), started_at: new Date() };
  const dead = Date.now() - earlier.started_at.getTime() > GIVEN_UP_AFTER_MS;
  if (dead && (await database.idempotency.retake(owner, key, earlier.started_at, again)))
    return doIt(parts, again.execution_id);
  throw new ChorusError('idempotency_in_flight', 'The first request with this Idempotency-Key is still being done.', {
    retryAfterS: 1,
  });
}

/** The id of what the request is to begin; null: it begins nothing that could be joined. */
function plannedId<T>({ join, begins }: OnceParts<T>): string | null {
  return join ? (begins?.id ?? newId('job')) : null;
}

/** Waits a little for what is just being begun. */
async function hasBegun<T>({ database, owner, begins }: OnceParts<T>, id: string): Promise<boolean> {
  const look = begins?.hasBegun ?? (async () => (await database.executions.get(owner, id)) !== null);
  const until = performance.now() + JOIN_WITHIN_MS;
  while (!(await look(id))) {
    if (performance.now() > until) return false;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  return true;
}
