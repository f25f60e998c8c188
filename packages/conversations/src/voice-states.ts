import { VOICE_STATES, type VoiceState } from '@chorus/contract';
import { fromRedis, type RedisConnection } from '@chorus/events';

/** What is said of a session that nobody speaks in any more, since its process died, is forgotten after so long, in milliseconds. */
const KEEP_MS = 600_000;

/** What goes on in spoken sessions now, as the processes that hear and speak tell it. Nothing is decided by it. */
export interface VoiceStates {
  /** Not waited for, and may be lost. `idle` again: the turn is over. */
  tell(sessionId: string, state: VoiceState): void;
  /** @throws {ChorusError} store_unavailable */
  get(sessionId: string): Promise<VoiceState>;
}

export function createVoiceStates(redis: RedisConnection): VoiceStates {
  const keyOf = (sessionId: string) => `chorus:{voice:${sessionId}}:state`;
  return {
    tell: (sessionId, state) => {
      const key = keyOf(sessionId);
      const told = state === 'idle' ? redis.del(key) : redis.set(key, state, 'PX', KEEP_MS);
      told.catch(() => undefined);
    },
    get: async (sessionId) => {
      const told = await fromRedis(redis.get(keyOf(sessionId)));
      return VOICE_STATES.find((state) => state === told) ?? 'idle';
    },
  };
}
