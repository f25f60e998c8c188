import { randomUUID } from 'node:crypto';
import { type VoiceInterruption, voiceInterruption } from '@chorus/contract';
import { defineScript, type EventHub, fromRedis, type Listener, type RedisConnection } from '@chorus/events';
import type { Logger } from '@chorus/runtime/log';
import { withTimeout } from '@chorus/runtime/timing';
import { z } from 'zod';

/** Lifetime of a line that is not renewed, for example after a crash. */
const LEASE_MS = 15_000;
const RENEW_MS = 5_000;

/** A holder that does not respond within this time is considered gone. */
const ANSWER_TIMEOUT_MS = 2_000;

/** Handles requests for the socket that speaks in a session. */
export interface LineHolder {
  interrupt(): VoiceInterruption;
  leave(): Promise<void>;
}

/** Ensures that one socket at a time speaks in a session, across processes. */
export interface VoiceLines {
  /**
   * Acquires the line of a session. Resolves once the previous holder has left or fails to respond.
   *
   * @returns A function that releases the line.
   * @throws {ChorusError} store_unavailable
   */
  take(sessionId: string, holder: LineHolder): Promise<() => Promise<void>>;
  /**
   * Interrupts the answer in a session, whichever process speaks it.
   *
   * @returns Null if no socket speaks in the session.
   * @throws {ChorusError} store_unavailable
   */
  interrupt(sessionId: string): Promise<VoiceInterruption | null>;
}

const wish = z.object({
  /** Token of the holder. */
  to: z.string(),
  wish: z.enum(['interrupt', 'leave']),
  reply: z.string(),
});
type Wish = z.infer<typeof wish>;

const ifMine = (command: string) => `if redis.call('GET', KEYS[1]) == ARGV[1] then return ${command} end return 0`;

/** @param hub receives requests and replies */
export function createVoiceLines(redis: RedisConnection, hub: Pick<EventHub, 'listen'>, log: Logger): VoiceLines {
  const keyOf = (sessionId: string) => `chorus:{voice:${sessionId}}:line`;
  const channelOf = (sessionId: string) => `chorus:{voice:${sessionId}}:wishes`;
  const renew = defineScript(redis, 'chorusRenewLine', ifMine(`redis.call('PEXPIRE', KEYS[1], ${LEASE_MS})`), 1);
  const release = defineScript(redis, 'chorusReleaseLine', ifMine(`redis.call('DEL', KEYS[1])`), 1);

  const answer = async (holder: LineHolder, { wish: asked, reply }: Wish) => {
    const outcome = asked === 'interrupt' ? holder.interrupt() : await holder.leave();
    await redis.publish(reply, JSON.stringify(outcome ?? {}));
  };

  /** Sends a request to a holder; returns null without a timely reply. */
  const ask = async (sessionId: string, to: string, asked: Wish['wish']): Promise<unknown> => {
    const reply = `chorus:voice:${randomUUID()}`;
    const said = Promise.withResolvers<unknown>();
    const stop = await hub.listen(
      reply,
      listener((message) => said.resolve(JSON.parse(message))),
    );
    try {
      const message: Wish = { to, wish: asked, reply };
      await fromRedis(redis.publish(channelOf(sessionId), JSON.stringify(message)));
      return await withTimeout(said.promise, ANSWER_TIMEOUT_MS, () => null);
    } finally {
      stop();
    }
  };

  return {
    async take(sessionId, holder) {
      const own = randomUUID();
      const lost = (error: unknown) => log.warn({ err: error, session_id: sessionId }, 'voice line');
      const receive = (message: string) => {
        const { data } = wish.safeParse(JSON.parse(message));
        if (data?.to === own) answer(holder, data).catch(lost);
      };
      const stop = await hub.listen(channelOf(sessionId), listener(receive));
      try {
        const before = await fromRedis(redis.set(keyOf(sessionId), own, 'PX', LEASE_MS, 'GET'));
        if (before !== null) await ask(sessionId, before, 'leave');
      } catch (error) {
        stop();
        throw error;
      }
      const renewing = setInterval(() => void renew(keyOf(sessionId), own).catch(lost), RENEW_MS);
      return async () => {
        clearInterval(renewing);
        stop();
        await release(keyOf(sessionId), own).catch(lost);
      };
    },
    async interrupt(sessionId) {
      const holder = await fromRedis(redis.get(keyOf(sessionId)));
      const interruption = holder === null ? null : await ask(sessionId, holder, 'interrupt');
      return interruption === null ? null : voiceInterruption.parse(interruption);
    },
  };
}

/** Ignores lost messages, because the sender retries. */
function listener(receive: (message: string) => void): Listener {
  return {
    receive,
    recheck: () => undefined,
    get lastHeardAt() {
      return performance.now();
    },
    close: () => undefined,
  };
}
