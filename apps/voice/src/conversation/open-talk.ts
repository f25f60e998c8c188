import { isTerminal, newId, type RealtimeItem } from '@chorus/contract';
import { agentOf, type LineHolder, turnSettings, type VoiceMark } from '@chorus/conversations';
import type { ExecutionRecord, MessageRecord } from '@chorus/database';
import type { Asked, Caller } from '../caller.ts';
import type { VoiceServices } from '../voice-services.ts';
import type { TalkSession } from './turns.ts';
import type { VoiceEngine } from './voice-engine.ts';

/** So much of a session is shown when it is opened. */
const HISTORY = { maxMessages: 100, maxBytes: 500_000 };

/** What a conversation begins with. */
export interface OpenedTalk {
  session: TalkSession;
  /** `provider/model` that answers; empty where that is not known yet. */
  model: string;
  /** What was said before, oldest first. */
  history: RealtimeItem[];
  /** An answer that was not heard to its end, and how far it was; null: there is none. */
  unheard: { record: ExecutionRecord; mark: VoiceMark } | null;
  /** Gives the line of the session back. */
  hangUp(): Promise<void>;
}

/**
 * Takes the line of the session, and finds out what was said there.
 *
 * @throws {ChorusError} store_unavailable
 */
export async function openTalk(
  services: VoiceServices,
  engine: VoiceEngine,
  { owner, agent: named }: Caller,
  asked: Asked,
  holder: (session: TalkSession) => LineHolder,
): Promise<OpenedTalk> {
  const { database } = services;
  const { sessionId } = asked;
  // OpenAI's clients name models that they know.
  const model = asked.model?.includes('/') ? asked.model : undefined;
  const agent = await agentOf(database, owner, named, { session_id: sessionId ?? undefined });
  const session = { id: sessionId ?? newId('session'), opened: sessionId !== null, agent, model };
  const hangUp = await engine.lines.take(session.id, holder(session));
  const settings = await turnSettings(services, agent, { model, settings: {} }).catch(() => null);
  const opened = { session, model: settings?.model ?? asked.model ?? '', history: [], unheard: null, hangUp };
  if (sessionId === null) return opened;
  const unheard = await unheardOf(services, engine, owner, sessionId);
  const { messages } = await database.messages.context(owner, sessionId, Number.MAX_SAFE_INTEGER, HISTORY);
  const known = messages.filter(({ id }) => id !== unheard?.mark.message_id);
  return { ...opened, unheard, history: known.map(itemOf) };
}

async function unheardOf(
  { database }: VoiceServices,
  engine: VoiceEngine,
  owner: Caller['owner'],
  sessionId: string,
): Promise<OpenedTalk['unheard']> {
  const [mark, session] = await Promise.all([engine.marks.take(sessionId), database.sessions.get(owner, sessionId)]);
  const id = session?.active_execution_id ?? mark?.execution_id;
  const record = id == null ? null : await database.executions.get(owner, id);
  if (record === null || record.message_id === null) return null;
  if (mark?.execution_id === record.id) return { record, mark };
  // A turn runs whose hearer left no trace, or never was there: it is told from its beginning.
  if (isTerminal(record.status)) return null;
  return { record, mark: { execution_id: record.id, message_id: record.message_id, heard_end: 0, heard_ms: 0 } };
}

function itemOf({ id, role, content, voice }: MessageRecord): RealtimeItem {
  const part =
    role === 'user'
      ? ({ type: 'input_text', text: content } as const)
      : voice == null
        ? ({ type: 'output_text', text: content } as const)
        : ({ type: 'output_audio', audio: null, transcript: content } as const);
  return { id, object: 'realtime.item', type: 'message', status: 'completed', role, content: [part], message_id: id };
}
