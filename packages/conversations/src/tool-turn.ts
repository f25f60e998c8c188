import { ChorusError, newId, type Owner, type ToolCall } from '@chorus/contract';
import type { Database, MessageRecord } from '@chorus/database';
import type { ConversationStore } from './conversation-store.ts';
import { lockSession } from './lock-session.ts';
import { abandonAndThrow, answerOf, type OpenedTurn } from './opened-turn.ts';

/** Results of the tool calls that were requested by the last answer of a session. */
export interface ToolOutputs {
  session_id: string;
  outputs: readonly { tool_call_id: string; output: string }[];
}

type Messages = Pick<Database, 'messages'>;

/**
 * Continues a turn with the results of its tool calls: locks the session, and stores them with an empty answer.
 * Three round trips.
 *
 * @throws {ChorusError} `not_found`; `session_locked` while another turn runs; `invalid_request` unless the results
 * answer all open calls
 */
export async function continueTurn(
  store: ConversationStore,
  owner: Owner,
  { session_id, outputs, executionId }: ToolOutputs & { executionId: string },
): Promise<OpenedTurn> {
  const tool_message_ids = outputs.map(() => newId('message'));
  const turn: OpenedTurn = {
    session_id,
    user_message_id: tool_message_ids.at(-1) as string,
    assistant_message_id: newId('message'),
    tool_message_ids,
    opened: 'tool_outputs',
  };
  const { position } = await lockSession(store, owner, session_id, executionId, outputs.length + 1);
  try {
    const calls = openCalls(await store.messages.last(owner, session_id, position));
    checkOutputs(calls, outputs);
    const given = new Map(outputs.map(({ tool_call_id, output }) => [tool_call_id, output]));
    const answer = answerOf(turn, owner, executionId, position + outputs.length);
    // In the order of the calls.
    const results = calls.map(
      ({ id }, index): MessageRecord => ({
        ...answer,
        id: tool_message_ids[index] as string,
        role: 'tool',
        content: given.get(id) ?? '',
        tool_call_id: id,
        status: 'succeeded',
        position: position + index,
      }),
    );
    await store.messages.insert(owner, [...results, { ...answer, question_revision: 1 }]);
  } catch (error) {
    await abandonAndThrow(store, owner, turn, executionId, error);
  }
  return turn;
}

/** Refuses a message if the session's last answer waits for tool results. */
export function checkNothingOpen(last: MessageRecord | null): void {
  const open = openCalls(last).map(({ id }) => id);
  if (open.length === 0) return;
  throw refused(
    'body.message',
    `must wait: the last answer called tools. Send \`tool_outputs\` for ${listOf(open)} first`,
  );
}

/** Returns the calls that wait for results. */
function openCalls(last: MessageRecord | null): ToolCall[] {
  return last?.role === 'assistant' ? last.tool_calls : [];
}

function checkOutputs(calls: readonly ToolCall[], outputs: ToolOutputs['outputs']): void {
  if (calls.length === 0) throw refused('body.tool_outputs', 'must not be sent: this session waits for no results');
  const open = calls.map(({ id }) => id);
  const unknown = outputs.findIndex(({ tool_call_id }) => !open.includes(tool_call_id));
  if (unknown >= 0)
    throw refused(`body.tool_outputs.${unknown}.tool_call_id`, `must be one of the open calls: ${listOf(open)}`);
  const missing = open.filter((id) => !outputs.some(({ tool_call_id }) => tool_call_id === id));
  if (missing.length > 0) throw refused('body.tool_outputs', `must answer all open calls; missing: ${listOf(missing)}`);
}

const MAX_LISTED = 20;

function listOf(ids: readonly string[]): string {
  return `${ids.slice(0, MAX_LISTED).join(', ')}${ids.length > MAX_LISTED ? ', …' : ''}`;
}

function refused(path: string, message: string): ChorusError {
  return new ChorusError('invalid_request', `\`${path.replace(/^body\./, '')}\` ${message}.`, {
    details: [{ path, message }],
  });
}

/** Maximum number of results for one answer. */
const MAX_RESULTS = 256;

/** Returns the last result for the same answer as this one. */
export async function lastResultOf(store: Messages, owner: Owner, message: MessageRecord): Promise<MessageRecord> {
  const after = String(message.position);
  const { data } = await store.messages.listBySession(owner, message.session_id, { limit: MAX_RESULTS, after });
  const end = data.findIndex(({ role }) => role !== 'tool');
  return data.slice(0, end < 0 ? data.length : end).at(-1) ?? message;
}

/** Returns the ids of all results for the same answer up to this one, in order. */
export async function resultsUpTo(store: Messages, owner: Owner, message: MessageRecord): Promise<string[]> {
  const before = { limit: MAX_RESULTS, after: String(message.position), order: 'desc' } as const;
  const { data } = await store.messages.listBySession(owner, message.session_id, before);
  const end = data.findIndex(({ role }) => role !== 'tool');
  const ids = data.slice(0, end < 0 ? data.length : end).map(({ id }) => id);
  return [...ids.reverse(), message.id];
}
