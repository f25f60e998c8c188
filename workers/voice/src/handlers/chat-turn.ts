import { ChorusError, type OutputItem, type ResetReason, type VoiceTurnInput } from '@chorus/contract';
import { abandonTurn, type OpenedTurn, sessionTurn } from '@chorus/conversations';
import type { ExecutionRecord } from '@chorus/database';
import { follow } from '@chorus/executions';
import { type JobContext, Stop } from '@chorus/worker-kit';
import type { VoiceParts } from './voice-parts.ts';

/** What is told of a chat turn while it runs. */
export interface ChatListener {
  text(delta: string): void;
  /** The text begins anew. */
  reset(reason: ResetReason): Promise<void>;
  /** Another item of its output, at its place there. */
  item(index: number, item: OutputItem): void;
}

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
  listener: ChatListener,
): Promise<ExecutionRecord> {
  const { database, eventLog } = parts;
  const { owner, signal } = job;
  const { record, reader } = await beginOrFind(parts, job, message);
  const close = () => reader.close();
  signal.addEventListener('abort', close);
  let given = '';
  try {
    for (;;) {
      signal.throwIfAborted();
      const step = await follow({ database, eventLog, owner, record, reader, events: true });
      if (step === null) throw signal.aborted ? signal.reason : new ChorusError('worker_lost', 'The answer was lost.');
      for (const { event } of step.running) {
        if (event.type === 'text.delta') {
          given += event.delta;
          listener.text(event.delta);
        } else if (event.type === 'text.reset') {
          given = '';
          await listener.reset(event.reason);
        } else if (event.type === 'output.item') listener.item(event.index, event.item);
      }
      if (!('ended' in step)) continue;
      const answer = succeeded(step.ended);
      // Where the log is gone, the record has the text.
      const text = textOf(answer);
      if (!text.startsWith(given)) {
        await listener.reset('log_lost');
        given = '';
      }
      if (text.length > given.length) listener.text(text.slice(given.length));
      return answer;
    }
  } catch (error) {
    if (signal.aborted && isEnding(signal.reason)) await parts.dispatcher.cancel(owner, record.id);
    throw error;
  } finally {
    signal.removeEventListener('abort', close);
    reader.close();
  }
}

export function textOf({ output }: ExecutionRecord): string {
  return output.map((item) => (item.type === 'text' ? item.text : '')).join('');
}

/** Whether this execution ends, rather than going on at another worker. */
function isEnding(reason: unknown): boolean {
  return !(reason instanceof Stop) || reason.kind === 'cancelled' || reason.kind === 'timeout';
}

function succeeded(ended: ExecutionRecord): ExecutionRecord {
  if (ended.status === 'succeeded') return ended;
  if (ended.error === null) throw new ChorusError('cancelled', 'The answer was cancelled.');
  const { code, message, details } = ended.error;
  throw new ChorusError(code as ChorusError['code'], message, { details });
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
