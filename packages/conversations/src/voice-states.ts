import { VOICE_STATES, type VoiceState } from '@chorus/contract';
import { fromRedis, type RedisConnection } from '@chorus/events';

/** Lifetime of a state that is not updated, for example after a crash. */
const KEEP_MS = 600_000;

/** Current states of voice sessions, for display only. */
export interface VoiceStates {
  /** Sent without waiting; may be lost. `idle` ends the turn. */
  set(sessionId: string, state: VoiceState): void;
  /** @throws {ChorusError} store_unavailable */
  get(sessionId: string): Promise<VoiceState>;
}

export function createVoiceStates(redis: RedisConnection): VoiceStates {
  const keyOf = (sessionId: string) => `chorus:{voice:${sessionId}}:state`;
  return {
    set: (sessionId, state) => {
      const key = keyOf(sessionId);
      const stored = state === 'idle' ? redis.del(key) : redis.set(key, state, 'PX', KEEP_MS);
      stored.catch(() => undefined);
    },
    get: async (sessionId) => {
      const stored = await fromRedis(redis.get(keyOf(sessionId)));
      return VOICE_STATES.find((state) => state === stored) ?? 'idle';
    },
  };
}
