import { isTerminal, newId, type RealtimeItem } from '@chorus/contract';
import type { LineHolder, VoiceMark } from '@chorus/conversations';
import type { ExecutionRecord, MessageRecord } from '@chorus/database';
import { agentOf, turnSettings } from '@chorus/jobs';
import type { Caller, SessionRequest } from '../caller.ts';
import type { VoiceServices } from '../voice-services.ts';
import type { ConversationSession } from './turns.ts';
import type { VoiceEngine } from './voice-engine.ts';

const HISTORY = { maxMessages: 100, maxBytes: 500_000 };

export interface LoadedSession {
  session: ConversationSession;
  /** `provider/model` that answers; empty until known. */
  model: string;
  history: RealtimeItem[];
  /** An answer that was not heard to its end, with its position. */
  unfinished: { record: ExecutionRecord; mark: VoiceMark } | null;
  releaseLine(): Promise<void>;
}

/**
 * Acquires the session's line and loads its history.
 *
 * @throws {ChorusError} store_unavailable
 */
export async function loadSession(
  services: VoiceServices,
  engine: VoiceEngine,
  { owner, agent: named }: Caller,
  asked: SessionRequest,
  holder: (session: ConversationSession) => LineHolder,
): Promise<LoadedSession> {
  const { database } = services;
  const { sessionId } = asked;
  // OpenAI's clients send names of OpenAI models.
  const model = asked.model?.includes('/') ? asked.model : undefined;
  const agent = await agentOf(database, owner, named, { session_id: sessionId ?? undefined });
  const session = { id: sessionId ?? newId('session'), opened: sessionId !== null, agent, model };
  const releaseLine = await engine.lines.take(session.id, holder(session));
  const settings = await turnSettings(services, agent, { model, settings: {} }).catch(() => null);
  const opened = { session, model: settings?.model ?? asked.model ?? '', history: [], unfinished: null, releaseLine };
  if (sessionId === null) return opened;
  const unfinished = await unfinishedOf(services, engine, owner, sessionId);
  const { messages } = await database.messages.context(owner, sessionId, Number.MAX_SAFE_INTEGER, HISTORY);
  // Calls of tools and their results are not spoken.
  const known = messages.filter(({ id, content }) => id !== unfinished?.mark.message_id && content !== '');
  return { ...opened, unfinished, history: known.flatMap((message) => itemOf(message) ?? []) };
}

async function unfinishedOf(
  { database }: VoiceServices,
  engine: VoiceEngine,
  owner: Caller['owner'],
  sessionId: string,
): Promise<LoadedSession['unfinished']> {
  const [mark, session] = await Promise.all([engine.marks.take(sessionId), database.sessions.get(owner, sessionId)]);
  const id = session?.active_execution_id ?? mark?.execution_id;
  const record = id == null ? null : await database.executions.get(owner, id);
  if (record === null || record.message_id === null) return null;
  if (mark?.execution_id === record.id) return { record, mark };
  // A running turn without a mark is sent from its beginning.
  if (isTerminal(record.status)) return null;
  return { record, mark: { execution_id: record.id, message_id: record.message_id, heard_end: 0, heard_ms: 0 } };
}

function itemOf({ id, role, content, voice }: MessageRecord): RealtimeItem | null {
  if (role === 'tool') return null;
  const part =
    role === 'user'
      ? ({ type: 'input_text', text: content } as const)
      : voice == null
        ? ({ type: 'output_text', text: content } as const)
        : ({ type: 'output_audio', audio: null, transcript: content } as const);
  return { id, object: 'realtime.item', type: 'message', status: 'completed', role, content: [part], message_id: id };
}
