import type { VoiceTurnInput } from '@chorus/contract';
import {
  abandonTurn,
  followTurn,
  type OpenedTurn,
  sessionTurn,
  succeeded,
  type TurnListener,
} from '@chorus/conversations';
import type { ExecutionRecord } from '@chorus/database';
import { type JobContext, Stop } from '@chorus/worker-kit';
import type { VoiceParts } from './voice-parts.ts';

type Parts = Pick<VoiceParts, 'database' | 'eventLog' | 'hub' | 'dispatcher'>;
type Job = Pick<JobContext<'voice.turn'>, 'input' | 'owner' | 'attempt' | 'signal'>;

/**
 * Has a message answered by a chat turn of the session, through the queue like any other, and tells it. An attempt that takes over follows the turn that an earlier
 * one began; when this execution is cancelled, so is the turn.
 *
 * @throws {ChorusError} what the turn failed with, or why it could not begin: `session_locked`, `not_found`, `overloaded`
 */
export async function runChatTurn(
  parts: Parts,
  job: Job,
  message: string,
  listener: TurnListener,
): Promise<ExecutionRecord> {
  const { database, eventLog } = parts;
  const { owner, signal } = job;
  const { record, reader } = await beginOrFind(parts, job, message);
  try {
    return succeeded(await followTurn({ database, eventLog, owner, record, reader, signal }, listener));
  } catch (error) {
    if (signal.aborted && isEnding(signal.reason)) await parts.dispatcher.cancel(owner, record.id);
    throw error;
  }
}

/** Whether this execution ends, rather than going on at another worker. */
function isEnding(reason: unknown): boolean {
  return !(reason instanceof Stop) || reason.kind === 'cancelled' || reason.kind === 'timeout';
}

async function beginOrFind({ database, hub, dispatcher }: Parts, { input, owner, attempt }: Job, message: string) {
  const { chat } = input;
  const found = attempt === 1 ? null : await database.executions.get(owner, chat.execution_id);
  if (found !== null) return { record: found, reader: await hub.open(found.id, 0) };
  const turn = openedTurn(chat);
  // An attempt that died while it began the turn may have left messages and a lock.
  if (attempt > 1) await abandonTurn(database, owner, turn, chat.execution_id);
  const { settings, agent_id, opens, session_id } = chat;
  const work = sessionTurn(database, owner, settings, {
    message,
    attachments: undefined,
    session_id: opens ? undefined : session_id,
    agent_id,
    planned: turn,
  });
  const { record, reader } = await dispatcher.dispatch({
    ...work,
    id: chat.execution_id,
    owner,
    requestId: chat.request_id,
    apiKeyId: chat.api_key_id,
    follow: true,
  });
  return { record, reader: reader ?? (await hub.open(record.id, 0)) };
}

function openedTurn({ session_id, user_message_id, assistant_message_id, opens }: VoiceTurnInput['chat']): OpenedTurn {
  return { session_id, user_message_id, assistant_message_id, opened: opens ? 'session' : 'turn' };
}
