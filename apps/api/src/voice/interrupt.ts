import { isTerminal, type Owner, type VoiceInterruption } from '@chorus/contract';
import { truncateAnswer, type VoiceMark } from '@chorus/conversations';
import { follow } from '@chorus/executions';
import { unknownRecord } from '../http/unknown-record.ts';
import type { Services } from '../services.ts';

/**
 * Stops the spoken or written answer of a session, on any process. If its socket has closed, only the part that
 * was played is kept.
 * @throws {ChorusError} not_found, store_unavailable
 */
export async function interruptVoice(services: Services, owner: Owner, id: string): Promise<VoiceInterruption> {
  const { database, dispatcher, voiceLines, voiceMarks } = services;
  const session = await database.sessions.get(owner, id);
  if (session === null) throw unknownRecord('session');
  const result = await voiceLines.interrupt(id);
  if (result?.interrupted) return result;
  // A turn may run without a voice socket: it is written, or its socket has closed and stored how much was
  // played.
  const running = session.active_execution_id;
  const record = running === null ? null : await dispatcher.cancel(owner, running);
  const isEnded = record !== null && (!isTerminal(record.status) || record.status === 'cancelled');
  const mark = result === null ? await voiceMarks.take(id) : null;
  const unheard = mark !== null && (running === null || running === mark.execution_id) ? mark : null;
  const heard = unheard === null ? null : await cutToPlayed(services, owner, unheard);
  const ended = unheard !== null && heard !== null ? { id: unheard.execution_id, ...unheard } : isEnded ? record : null;
  return {
    object: 'voice.interruption',
    session_id: id,
    interrupted: ended !== null,
    execution_id: ended?.id ?? null,
    message_id: ended?.message_id ?? null,
    heard_ms: heard === null ? null : Math.round(unheard?.heard_ms ?? 0),
    heard,
  };
}

/** Time limit for a cancelled turn to end. After that, its message is not cut. */
const END_TIMEOUT_MS = 10_000;

/**
 * Cuts an answer to the part that was played on a closed socket, once its turn has ended.
 * @returns the part that was played; null: the turn did not end in time, or its message is gone
 * @throws {ChorusError} store_unavailable
 */
async function cutToPlayed(
  services: Services,
  owner: Owner,
  { execution_id, message_id, heard_end, heard_ms }: VoiceMark,
): Promise<string | null> {
  const { messages } = services.database;
  if (!(await hasEnded(services, owner, execution_id))) return null;
  const message = await messages.get(owner, message_id);
  if (message === null) return null;
  const heard = message.content.slice(0, heard_end);
  await truncateAnswer(services.database, owner, message_id, heard);
  const { voice } = message;
  if (voice != null)
    await messages.setVoice(owner, message_id, { ...voice, heard_ms: Math.round(heard_ms), interrupted: true });
  return heard;
}

async function hasEnded({ database, eventLog, hub }: Services, owner: Owner, id: string): Promise<boolean> {
  const record = await database.executions.get(owner, id);
  if (record === null || isTerminal(record.status)) return true;
  const reader = await hub.open(id, 0);
  const timer = setTimeout(() => reader.close(), END_TIMEOUT_MS);
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
