import { createHash, randomBytes } from 'node:crypto';
import { ChorusError } from '@chorus/contract';
import { fromRedis } from '@chorus/events';
import type { ScopedContext } from '../http/request-context.ts';
import type { RpcId } from './json-rpc.ts';

export const SESSION_HEADER = 'Mcp-Session-Id';
const SESSION = /^mcps_[\w-]{22}$/;

/** How long an ended session stays refused. Later use is harmless, since it holds nothing. */
const ENDED_S = 86_400;

/** How long a call can be cancelled, and how long a cancellation waits for its call. */
const CALL_S = 7_200;

/** A value that no execution id has. */
const CANCELLED = 'cancelled';

/** Creates the id of a session. It only distinguishes clients of a key, so nothing is stored for it. */
export function newSession(): string {
  return `mcps_${randomBytes(16).toString('base64url')}`;
}

/**
 * Returns the session that a request names, or null.
 * @throws {ChorusError} not_found, after which clients initialize a new session
 */
export async function sessionOf(context: ScopedContext): Promise<string | null> {
  const { request, services } = context;
  const session = request.headers[SESSION_HEADER.toLowerCase()];
  if (session === undefined) return null;
  if (typeof session === 'string' && SESSION.test(session)) {
    const ended = await fromRedis(services.redis.exists(endedKey(context, session)));
    if (ended === 0) return session;
  }
  throw new ChorusError('not_found', 'There is no such session. Initialize a new one.');
}

export async function endSession(context: ScopedContext, session: string): Promise<void> {
  await fromRedis(context.services.redis.set(endedKey(context, session), '1', 'EX', ENDED_S));
}

/** The call of a tool in a session, and the execution that it started. Any process can cancel it. */
export class SessionCall {
  readonly #context: ScopedContext;
  readonly #key: string;

  constructor(context: ScopedContext, session: string, id: RpcId) {
    this.#context = context;
    // Hashed, since a client chooses the id.
    const name = createHash('sha256').update(JSON.stringify(id)).digest('base64url').slice(0, 22);
    this.#key = `${keyOf(context)}:call:${session}:${name}`;
  }

  /** Records the call's execution, before it is dispatched. Returns false if the call was cancelled already. */
  async begin(executionId: string): Promise<boolean> {
    const { redis } = this.#context.services;
    if ((await fromRedis(redis.set(this.#key, executionId, 'EX', CALL_S, 'NX'))) !== null) return true;
    if (await this.isCancelled()) return false;
    await fromRedis(redis.set(this.#key, executionId, 'EX', CALL_S));
    return true;
  }

  async isCancelled(): Promise<boolean> {
    return (await fromRedis(this.#context.services.redis.get(this.#key))) === CANCELLED;
  }

  /** Marks the call as cancelled, and cancels its execution if there is one. */
  async cancel(): Promise<void> {
    const { redis, dispatcher } = this.#context.services;
    const id = await fromRedis(redis.set(this.#key, CANCELLED, 'EX', CALL_S, 'GET'));
    if (id !== null && id !== CANCELLED) await dispatcher.cancel(this.#context.owner, id);
  }

  /** Forgets an answered call. A cancellation that follows has no effect. */
  forget(): void {
    this.#context.services.redis.del(this.#key).catch(() => undefined); // expires
  }
}

const endedKey = (context: ScopedContext, session: string) => `${keyOf(context)}:ended:${session}`;

/** Callers have separate names, so that none can reach another's session. */
function keyOf({ credential: { user, key } }: ScopedContext): string {
  return `chorus:mcp:{${key?.id ?? user.id}}`;
}
