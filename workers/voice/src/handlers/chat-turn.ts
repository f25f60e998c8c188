import { ChorusError, type chatCompletion, type Owner, type VoiceTurnInput, type voiceTurn } from '@chorus/contract';
import { abandonTurn, followTurn, type OpenedTurn, succeeded, type TurnListener } from '@chorus/conversations';
import type { ExecutionRecord } from '@chorus/database';
import type { Work } from '@chorus/executions';
import { chatTurn, repeatedTurn } from '@chorus/jobs';
import { type JobContext, Stop } from '@chorus/worker-kit';
import type { VoiceParts } from './voice-parts.ts';

type Parts = Pick<VoiceParts, 'database' | 'eventLog' | 'hub' | 'dispatcher'>;
type Job = Pick<JobContext<typeof voiceTurn.kind>, 'input' | 'owner' | 'attempt' | 'signal'>;
type Chat = VoiceTurnInput['chat'];

/**
 * Runs a chat turn of the session through the queue and forwards its events. A retry or another attempt follows
 * the turn that was started before. Cancelling this execution cancels the turn.
 *
 * @returns the ended turn, or one that waits for decisions if the listener stops then
 * @throws {ChorusError} the turn's error, or why it could not start: `session_locked`, `not_found`,
 * `overloaded`
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
    const ended = await followTurn({ database, eventLog, owner, record, reader, signal }, listener);
    return ended.status === 'requires_action' ? ended : succeeded(ended);
  } catch (error) {
    if (signal.aborted && isEnding(signal.reason)) await parts.dispatcher.cancel(owner, record.id);
    throw error;
  }
}

/** Returns whether the execution ends, instead of moving to another worker. */
function isEnding(reason: unknown): boolean {
  return !(reason instanceof Stop) || reason.kind === 'cancelled' || reason.kind === 'timeout';
}

async function beginOrFind({ database, hub, dispatcher }: Parts, { input, owner, attempt }: Job, message: string) {
  const { chat } = input;
  const mayBeFound = attempt > 1 || chat.before?.type === 'begun';
  const found = mayBeFound ? await database.executions.get(owner, chat.execution_id) : null;
  if (found !== null) return { record: found, reader: await hub.open(found.id, 0) };
  // An attempt that died while starting the turn may have left messages and a lock.
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

/** @throws {ChorusError} not_found: the turn to repeat or follow is gone */
async function workOf(
  database: Parts['database'],
  owner: Owner,
  chat: Chat,
  message: string,
): Promise<Work<typeof chatCompletion.kind>> {
  const { before, settings, agent_id, opens, session_id } = chat;
  if (before !== undefined) {
    const failed = before.type === 'begun' ? null : await database.executions.get(owner, before.execution_id);
    if (failed === null) throw new ChorusError('not_found', 'The chat turn of this voice turn was deleted.');
    return repeatedTurn(database, owner, failed);
  }
  return chatTurn(database, owner, settings, {
    type: 'message',
    message,
    session_id: opens ? undefined : session_id,
    agent_id,
    planned: openedTurn(chat),
  });
}

function openedTurn({ session_id, user_message_id, assistant_message_id, opens, before }: Chat): OpenedTurn {
  const opened = before !== undefined ? 'retry' : opens ? 'session' : 'turn';
  return { session_id, user_message_id, assistant_message_id, opened };
}
