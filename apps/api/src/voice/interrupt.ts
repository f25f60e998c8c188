import { isTerminal, type Owner, type VoiceInterruption } from '@chorus/contract';
import { unknownRecord } from '../http/unknown-record.ts';
import type { Services } from '../services.ts';

/**
 * Ends what is said or written in a session now, in whichever process.
 *
 * @throws {ChorusError} not_found, store_unavailable
 */
export async function interruptVoice(services: Services, owner: Owner, id: string): Promise<VoiceInterruption> {
  const { database, dispatcher, voiceLines } = services;
  const session = await database.sessions.get(owner, id);
  if (session === null) throw unknownRecord('session');
  const told = await voiceLines.interrupt(id);
  if (told?.interrupted) return told;
  // Nobody speaks, but a turn may run: one that was written, or whose socket is gone.
  const running = session.active_execution_id;
  const record = running === null ? null : await dispatcher.cancel(owner, running);
  const interrupted = record !== null && (!isTerminal(record.status) || record.status === 'cancelled');
  return {
    object: 'voice.interruption',
    session_id: id,
    interrupted,
    execution_id: interrupted ? record.id : null,
    message_id: interrupted ? record.message_id : null,
    heard_ms: null,
    heard: null,
  };
}
