import { fromRedis, type RedisConnection } from '@chorus/events';
import { z } from 'zod';

/** How long a socket can reconnect after a drop. */
const KEEP_MS = 600_000;

const voiceMark = z.object({
  execution_id: z.string(),
  message_id: z.string(),
  /** Part of the answer that was heard: characters of text, milliseconds of audio. */
  heard_end: z.int().min(0),
  heard_ms: z.number().min(0),
});
/** Playback position of the answer being spoken. */
export type VoiceMark = z.infer<typeof voiceMark>;

/** Playback positions of dropped sockets, where a new socket continues. */
export interface VoiceMarks {
  /** Sent without waiting; may be lost. @throws never */
  put(sessionId: string, mark: VoiceMark | null): Promise<void>;
  /**
   * Removes and returns the mark; null if all was heard or nothing is known.
   * @throws {ChorusError} store_unavailable
   */
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
