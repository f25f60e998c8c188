import { isTerminal, type Owner } from '@chorus/contract';
import { cutAnswer, type VoiceMark } from '@chorus/conversations';
import { follow } from '@chorus/executions';
import type { Services } from '../services.ts';

/** A turn that was cancelled ends within this, in milliseconds; else its message stays as it is. */
const ENDS_WITHIN_MS = 10_000;

/**
 * Cuts an answer to what was heard of it on a socket that is gone, once its turn has ended.
 *
 * @returns what was heard; null: the turn did not end in time, or its message is gone
 * @throws {ChorusError} store_unavailable
 */
export async function cutUnheard(
  services: Services,
  owner: Owner,
  { execution_id, message_id, heard_end, heard_ms }: VoiceMark,
): Promise<string | null> {
  const { messages } = services.database;
  if (!(await hasEnded(services, owner, execution_id))) return null;
  const message = await messages.get(owner, message_id);
  if (message === null) return null;
  const heard = message.content.slice(0, heard_end);
  await cutAnswer(services.database, owner, message_id, heard);
  const { voice } = message;
  if (voice != null)
    await messages.setVoice(owner, message_id, { ...voice, heard_ms: Math.round(heard_ms), interrupted: true });
  return heard;
}

async function hasEnded({ database, eventLog, hub }: Services, owner: Owner, id: string): Promise<boolean> {
  const record = await database.executions.get(owner, id);
  if (record === null || isTerminal(record.status)) return true;
  const reader = await hub.open(id, 0);
  const timer = setTimeout(() => reader.close(), ENDS_WITHIN_MS);
  try {
    for (;;) {
      const step = await follow({ database, eventLog, owner, record, reader, events: false });
      if (step === null) return false;
      if ('ended' in step) return true;
    }
  } finally {
    clearTimeout(timer);
    reader.close();
  }
}
