import { randomUUID } from 'node:crypto';
import { type VoiceInterruption, voiceInterruption } from '@chorus/contract';
import { defineScript, type EventHub, fromRedis, type Listener, type RedisConnection } from '@chorus/events';
import type { Logger } from '@chorus/log';
import { z } from 'zod';

/** What a process that died held is free after so long, and is renewed so often while it lives; in milliseconds. */
const LEASE_MS = 15_000;
const RENEW_MS = 5_000;

/** Whoever holds a line answers within this, in milliseconds; else they are taken to be gone. */
const ANSWERS_WITHIN_MS = 2_000;

/** What the one who speaks in a session is asked to do. */
export interface LineHolder {
  /** Ends what is said now, and tells what was heard of it. */
  interrupt(): VoiceInterruption;
  /** Another socket takes over. */
  leave(): Promise<void>;
}

/** Who speaks in which session: one socket at a time, in any process. */
export interface VoiceLines {
  /**
   * Takes the line of a session. Whoever had it has left when this resolves, or does not answer.
   *
   * @returns gives it back
   * @throws {ChorusError} store_unavailable
   */
  take(sessionId: string, holder: LineHolder): Promise<() => Promise<void>>;
  /**
   * Has whoever speaks in a session interrupted, in whichever process.
   *
   * @returns null: nobody speaks there
   * @throws {ChorusError} store_unavailable
   */
  interrupt(sessionId: string): Promise<VoiceInterruption | null>;
}

const wish = z.object({
  /** Whose line it is. */
  to: z.string(),
  wish: z.enum(['interrupt', 'leave']),
  /** Where the answer is waited for. */
  reply: z.string(),
});
type Wish = z.infer<typeof wish>;

const ifMine = (command: string) => `if redis.call('GET', KEYS[1]) == ARGV[1] then return ${command} end return 0`;

/** @param hub hears wishes and their answers */
export function createVoiceLines(redis: RedisConnection, hub: Pick<EventHub, 'listen'>, log: Logger): VoiceLines {
  const keyOf = (sessionId: string) => `chorus:{voice:${sessionId}}:line`;
  const channelOf = (sessionId: string) => `chorus:{voice:${sessionId}}:wishes`;
  const renew = defineScript(redis, 'chorusRenewLine', ifMine(`redis.call('PEXPIRE', KEYS[1], ${LEASE_MS})`), 1);
  const release = defineScript(redis, 'chorusReleaseLine', ifMine(`redis.call('DEL', KEYS[1])`), 1);

  const answer = async (holder: LineHolder, { wish: asked, reply }: Wish) => {
    const told = asked === 'interrupt' ? holder.interrupt() : await holder.leave();
    await redis.publish(reply, JSON.stringify(told ?? {}));
  };

  /** Asks a holder, and answers what they say; null: nothing, in time. */
  const ask = async (sessionId: string, to: string, asked: Wish['wish']): Promise<unknown> => {
    const reply = `chorus:voice:${randomUUID()}`;
    const said = Promise.withResolvers<unknown>();
    const stop = await hub.listen(
      reply,
      listener((message) => said.resolve(JSON.parse(message))),
    );
    // An answer that lies in the socket, since this process was busy, is read before that.
    const timer = setTimeout(() => setImmediate(() => said.resolve(null)), ANSWERS_WITHIN_MS);
    try {
      const message: Wish = { to, wish: asked, reply };
      await fromRedis(redis.publish(channelOf(sessionId), JSON.stringify(message)));
      return await said.promise;
    } finally {
      clearTimeout(timer);
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
      const told = holder === null ? null : await ask(sessionId, holder, 'interrupt');
      return told === null ? null : voiceInterruption.parse(told);
    },
  };
}

/** Hears messages alone: what is lost is asked again by whoever misses its answer. */
function listener(receive: (message: string) => void): Listener {
  return {
    receive,
    lookAgain: () => undefined,
    get lastHeardAt() {
      return performance.now();
    },
    close: () => undefined,
  };
}
