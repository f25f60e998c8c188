import { isStoreUnavailable, type MessageVoice, type Owner } from '@chorus/contract';
import { truncateAnswer } from '@chorus/conversations';
import type { Database } from '@chorus/database';
import { retryWhile } from '@chorus/runtime/timing';

/** Retry delays. After the last one, the stored answer remains as written. */
const RETRY_DELAYS_MS = [100, 400, 1_500, 4_000];

/**
 * Stores how an answer was spoken, and truncates an interrupted one to what was heard. Idempotent.
 *
 * @param heard the beginning of the answer; null for all of it
 * @throws {ChorusError} store_unavailable
 */
export async function storeSpokenAnswer(
  database: Pick<Database, 'sessions' | 'messages' | 'messageRevisions'>,
  owner: Owner,
  messageId: string,
  { voice, heard }: { voice: MessageVoice; heard: string | null },
): Promise<void> {
  const store = async () => {
    if (heard !== null) await truncateAnswer(database, owner, messageId, heard);
    await database.messages.setVoice(owner, messageId, voice);
  };
  await retryWhile(isStoreUnavailable, store, { pausesMs: RETRY_DELAYS_MS });
}
