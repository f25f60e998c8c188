import { type ChatCompletionInput, JOBS, type OpenAiMessage, type Owner } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import type { ConversationStore } from './conversation-store.ts';
import { checkTurn } from './lock-session.ts';
import { toConversation } from './openai-messages.ts';
import {
  abandonTurn,
  checkRegeneration,
  type OpenedTurn,
  type PlannedTurn,
  regenerateTurn,
  restartTurn,
  startTurn,
} from './turn.ts';

/** What a turn runs with besides its conversation. */
export type TurnSettings = Omit<ChatCompletionInput, 'source'>;

/** What a dispatcher is handed of a turn: how it begins, and is taken back. */
export interface TurnWork<Kind extends string = 'chat.completion'> {
  kind: Kind;
  model: string;
  prepare(executionId: string): Promise<PreparedTurn> | PreparedTurn;
  /** Throws what `prepare` would, without storing anything. */
  check?: () => Promise<void>;
  abandon?: (executionId: string) => Promise<void>;
}

export interface PreparedTurn {
  input: Record<string, unknown>;
  session_id?: string;
  /** The assistant's message. */
  message_id?: string;
}

/** OpenAI's form: the messages are the job, nothing else is stored. */
export function statelessTurn(common: TurnSettings, messages: OpenAiMessage[]): TurnWork {
  const input = { ...common, source: { type: 'messages', messages: toConversation(messages) } };
  return { kind: 'chat.completion', model: common.model, prepare: () => ({ input }) };
}

/** A turn of a session; without `session_id`, the first of a new one. */
export function sessionTurn(
  database: ConversationStore,
  owner: Owner,
  common: TurnSettings,
  request: {
    message: string;
    attachments: string[] | undefined;
    session_id: string | undefined;
    agent_id: string | null;
    planned?: PlannedTurn | undefined;
  },
): TurnWork {
  const { message, attachments, session_id } = request;
  // A message that goes alone needs not be read again.
  const opening = attachments === undefined ? message : undefined;
  const work = workOf(database, owner, common, opening, (executionId) =>
    startTurn(database, owner, { ...request, model: common.model, executionId }),
  );
  return session_id === undefined ? work : { ...work, check: () => checkTurn(database, owner, session_id) };
}

/** A message of a session answered again. */
export function regeneratedTurn(
  database: ConversationStore,
  owner: Owner,
  common: TurnSettings,
  request: { message_id: string; session_id: string | undefined },
): TurnWork {
  const work = workOf(database, owner, common, undefined, (executionId) =>
    regenerateTurn(database, owner, { ...request, executionId }),
  );
  return { ...work, check: () => checkRegeneration(database, owner, request) };
}

/** The same work again, for a new execution: in its session, the assistant's message begins anew. */
export function repeatedTurn(database: ConversationStore, owner: Owner, record: ExecutionRecord): TurnWork {
  const input = JOBS['chat.completion'].input.parse(record.input);
  const { source, ...common } = input;
  if (source.type === 'messages') return statelessTurn(common, source.messages);
  const work = workOf(database, owner, common, undefined, (executionId) =>
    restartTurn(database, owner, source, executionId),
  );
  return { ...work, check: () => checkTurn(database, owner, source.session_id) };
}

function workOf(
  database: ConversationStore,
  owner: Owner,
  common: TurnSettings,
  opening: string | undefined,
  begin: (executionId: string) => Promise<OpenedTurn>,
): TurnWork {
  return turnWork(database, owner, {
    kind: 'chat.completion',
    model: common.model,
    begin,
    inputOf: ({ opened, ...turn }) => {
      const source = { type: 'session', ...turn };
      return { ...common, source: opened === 'session' && opening !== undefined ? { ...source, opening } : source };
    },
  });
}

export interface TurnPlan<Kind extends string> extends Pick<TurnWork<Kind>, 'kind' | 'model'> {
  begin(executionId: string): Promise<OpenedTurn>;
  /** The job's input, once the turn has begun. */
  inputOf(turn: OpenedTurn): Promise<PreparedTurn['input']> | PreparedTurn['input'];
}

/** Work that is a turn of a session: the session is locked for it, and as before when it could not be begun. */
export function turnWork<Kind extends string>(
  database: ConversationStore,
  owner: Owner,
  { kind, model, begin, inputOf }: TurnPlan<Kind>,
): TurnWork<Kind> {
  let turn: OpenedTurn | null = null;
  return {
    kind,
    model,
    prepare: async (executionId): Promise<PreparedTurn> => {
      turn = await begin(executionId);
      const { session_id, assistant_message_id: message_id } = turn;
      return { input: await inputOf(turn), session_id, message_id };
    },
    abandon: async (executionId) => {
      if (turn) await abandonTurn(database, owner, turn, executionId);
    },
  };
}
