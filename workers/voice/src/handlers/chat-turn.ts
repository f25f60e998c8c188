import { ChorusError, type Owner, type VoiceTurnInput } from '@chorus/contract';
import {
  abandonTurn,
  followTurn,
  type OpenedTurn,
  repeatedTurn,
  sessionTurn,
  succeeded,
  type TurnListener,
  type TurnWork,
} from '@chorus/conversations';
import type { ExecutionRecord } from '@chorus/database';
import { type JobContext, Stop } from '@chorus/worker-kit';
import type { VoiceParts } from './voice-parts.ts';

type Parts = Pick<VoiceParts, 'database' | 'eventLog' | 'hub' | 'dispatcher'>;
type Job = Pick<JobContext<'voice.turn'>, 'input' | 'owner' | 'attempt' | 'signal'>;
type Chat = VoiceTurnInput['chat'];

/**
 * Has a message answered by a chat turn of the session, through the queue like any other, and tells it. An attempt that takes over follows the turn that an earlier
 * one began, and so does a retry; when this execution is cancelled, so is the turn.
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
  const mayBeFound = attempt > 1 || chat.before?.type === 'begun';
  const found = mayBeFound ? await database.executions.get(owner, chat.execution_id) : null;
  if (found !== null) return { record: found, reader: await hub.open(found.id, 0) };
  // An attempt that died while it began the turn may have left messages and a lock.
  if (attempt > 1 && chat.before?.type !== 'begun')
    await abandonTurn(database, owner, openedTurn(chat), chat.execution_id);
  const { record, reader } = await dispatcher.dispatch({
    ...(await workOf(database, owner, chat, message)),
    id: chat.execution_id,
    owner,
    requestId: chat.request_id,
    apiKeyId: chat.api_key_id,
    follow: true,
  });
  return { record, reader: reader ?? (await hub.open(record.id, 0)) };
}

/** @throws {ChorusError} not_found: the turn that is to run again, or one to be followed, is gone */
async function workOf(database: Parts['database'], owner: Owner, chat: Chat, message: string): Promise<TurnWork> {
  const { before, settings, agent_id, opens, session_id } = chat;
  if (before !== undefined) {
    const failed = before.type === 'begun' ? null : await database.executions.get(owner, before.execution_id);
    if (failed === null) throw new ChorusError('not_found', 'The chat turn of this turn is gone.');
    return repeatedTurn(database, owner, failed);
  }
  return sessionTurn(database, owner, settings, {
    message,
    attachments: undefined,
    session_id: opens ? undefined : session_id,
    agent_id,
    planned: openedTurn(chat),
  });
}

function openedTurn({ session_id, user_message_id, assistant_message_id, opens, before }: Chat): OpenedTurn {
  const opened = before !== undefined ? 'retry' : opens ? 'session' : 'turn';
  return { session_id, user_message_id, assistant_message_id, opened };
}
