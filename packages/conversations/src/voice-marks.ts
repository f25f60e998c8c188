import { fromRedis, type RedisConnection } from '@chorus/events';
import { z } from 'zod';

/** A socket that dropped may come back for so long, in milliseconds. */
const KEEP_MS = 600_000;

const voiceMark = z.object({
  execution_id: z.string(),
  message_id: z.string(),
  /** What of the answer was heard: characters of its text, milliseconds of its sound. */
  heard_end: z.int().min(0),
  heard_ms: z.number().min(0),
});
/** How far somebody has heard the answer that is spoken to them now. */
export type VoiceMark = z.infer<typeof voiceMark>;

/** Where the answer of a session was when its socket dropped, so that another one goes on there. */
export interface VoiceMarks {
  /** Not waited for by whoever speaks; may be lost. @throws never */
  put(sessionId: string, mark: VoiceMark | null): Promise<void>;
  /** Takes it away; null: all was heard, or nobody knows. @throws {ChorusError} store_unavailable */
  take(sessionId: string): Promise<VoiceMark | null>;
}

export function createVoiceMarks(redis: RedisConnection): VoiceMarks {
  const keyOf = (sessionId: string) => `chorus:{voice:${sessionId}}:mark`;
  return {
    put: async (sessionId, mark) => {
      const key = keyOf(sessionId);
      const put = mark === null ? redis.del(key) : redis.set(key, JSON.stringify(mark), 'PX', KEEP_MS);
      await fromRedis<unknown>(put).catch(() => undefined);
    },
    take: async (sessionId) => {
      const kept = await fromRedis(redis.getdel(keyOf(sessionId)));
      return kept === null ? null : voiceMark.parse(JSON.parse(kept));
    },
  };
}
