import { setTimeout as pause } from 'node:timers/promises';
import { ChorusError, type MessageVoice, type Owner } from '@chorus/contract';
import { cutAnswer } from '@chorus/conversations';
import type { Database } from '@chorus/database';

/** A store that is away is asked again after so long, in milliseconds; then the answer stays as it was written. */
const PAUSES_MS = [100, 400, 1_500, 4_000];

/**
 * Stores how an answer was spoken; of one that was interrupted only what was heard stays. Can be repeated.
 *
 * @param heard the beginning of the answer; null: all of it
 * @throws {ChorusError} store_unavailable
 */
export async function keepAnswer(
  database: Pick<Database, 'sessions' | 'messages' | 'messageRevisions'>,
  owner: Owner,
  messageId: string,
  { voice, heard }: { voice: MessageVoice; heard: string | null },
): Promise<void> {
  for (const pauseMs of [...PAUSES_MS, null]) {
    try {
      if (heard !== null) await cutAnswer(database, owner, messageId, heard);
      await database.messages.setVoice(owner, messageId, voice);
      return;
    } catch (error) {
      const mayPass = error instanceof ChorusError && error.code === 'store_unavailable';
      if (!mayPass || pauseMs === null) throw error;
      await pause(pauseMs);
    }
  }
}
