import { JOBS, type OpenAiMessage, type Owner } from '@chorus/contract';
import {
  abandonTurn,
  checkRegeneration,
  checkTurn,
  type OpenedTurn,
  regenerateTurn,
  restartTurn,
  startTurn,
  toConversation,
} from '@chorus/conversations';
import type { Database, ExecutionRecord } from '@chorus/database';
import type { DispatchRequest, Prepared } from '@chorus/queue';
import type { TurnSettings } from './apply-agent.ts';

type Work = Pick<DispatchRequest<'chat.completion'>, 'kind' | 'model' | 'prepare' | 'check' | 'abandon'>;

/** OpenAI's form: the messages are the job, nothing else is stored. */
export function statelessTurn(common: TurnSettings, messages: OpenAiMessage[]): Work {
  const input = { ...common, source: { type: 'messages', messages: toConversation(messages) } };
  return { kind: 'chat.completion', model: common.model, prepare: () => ({ input }) };
}

/** A turn of a session; without `session_id`, the first of a new one. */
export function sessionTurn(
  database: Database,
  owner: Owner,
  common: TurnSettings,
  request: {
    message: string;
    attachments: string[] | undefined;
    session_id: string | undefined;
    agent_id: string | null;
  },
): Work {
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
  database: Database,
  owner: Owner,
  common: TurnSettings,
  request: { message_id: string; session_id: string | undefined },
): Work {
  const work = workOf(database, owner, common, undefined, (executionId) =>
    regenerateTurn(database, owner, { ...request, executionId }),
  );
  return { ...work, check: () => checkRegeneration(database, owner, request) };
}

/** The same work again, for a new execution: in its session, the assistant's message begins anew. */
export function repeatedTurn(database: Database, owner: Owner, record: ExecutionRecord): Work {
  const input = JOBS['chat.completion'].input.parse(record.input);
  const { source, ...common } = input;
  if (source.type === 'messages') return statelessTurn(common, source.messages);
  const work = workOf(database, owner, common, undefined, (executionId) =>
    restartTurn(database, owner, source, executionId),
  );
  return { ...work, check: () => checkTurn(database, owner, source.session_id) };
}

function workOf(
  database: Database,
  owner: Owner,
  common: TurnSettings,
  opening: string | undefined,
  begin: (executionId: string) => Promise<OpenedTurn>,
): Work {
  let turn: OpenedTurn | null = null;
  return {
    kind: 'chat.completion',
    model: common.model,
    prepare: async (executionId): Promise<Prepared> => {
      turn = await begin(executionId);
      const { session_id, user_message_id, assistant_message_id, opened } = turn;
      const source = { type: 'session', session_id, user_message_id, assistant_message_id };
      return {
        input: { ...common, source: opened === 'session' && opening !== undefined ? { ...source, opening } : source },
        session_id,
        message_id: assistant_message_id,
      };
    },
    abandon: async (executionId) => {
      if (turn) await abandonTurn(database, owner, turn, executionId);
    },
  };
}
