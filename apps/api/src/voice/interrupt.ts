import { isTerminal, type Owner, type VoiceInterruption } from '@chorus/contract';
import { unknownRecord } from '../http/unknown-record.ts';
import type { Services } from '../services.ts';
import { cutUnheard } from './cut-unheard.ts';

/**
 * Ends what is said or written in a session now, in whichever process. Of an answer whose socket is gone only what was heard stays, and the rest is never told.
 *
 * @throws {ChorusError} not_found, store_unavailable
 */
export async function interruptVoice(services: Services, owner: Owner, id: string): Promise<VoiceInterruption> {
  const { database, dispatcher, voiceLines, voiceMarks } = services;
  const session = await database.sessions.get(owner, id);
  if (session === null) throw unknownRecord('session');
  const told = await voiceLines.interrupt(id);
  if (told?.interrupted) return told;
  // Nobody speaks, but a turn may run: one that was written, or whose socket is gone, which then has left word of how far it was heard.
  const running = session.active_execution_id;
  const record = running === null ? null : await dispatcher.cancel(owner, running);
  const isEnded = record !== null && (!isTerminal(record.status) || record.status === 'cancelled');
  const mark = told === null ? await voiceMarks.take(id) : null;
  const unheard = mark !== null && (running === null || running === mark.execution_id) ? mark : null;
  const heard = unheard === null ? null : await cutUnheard(services, owner, unheard);
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
