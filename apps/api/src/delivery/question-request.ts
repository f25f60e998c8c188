import { JOBS, type KnowledgeAsk, type KnowledgeUse, type Owner } from '@chorus/contract';
import { checkTurn, restartTurn, startTurn, type TurnSettings, type TurnWork, turnWork } from '@chorus/conversations';
import type { Database, ExecutionRecord } from '@chorus/database';
import type { DispatchRequest } from '@chorus/queue';

type AskWork = TurnWork<'knowledge.ask'>;

interface Question {
  common: Omit<TurnSettings, 'knowledge'>;
  question: string;
  knowledge: KnowledgeUse;
}

/** A question to the scope's documents; with `session_id` it is a turn of that session. */
export function questionWork(
  database: Database,
  owner: Owner,
  { common, question, knowledge, session_id }: Question & Pick<KnowledgeAsk, 'session_id'>,
): AskWork {
  const { model } = common;
  const input = { ...common, question, knowledge };
  if (session_id === undefined) return { kind: 'knowledge.ask', model, prepare: () => ({ input }) };
  const work = turnWork(database, owner, {
    kind: 'knowledge.ask',
    model,
    begin: (executionId) => startTurn(database, owner, { message: question, session_id, model, executionId }),
    inputOf: ({ opened: _, ...turn }) => ({ ...input, turn }),
  });
  return { ...work, check: () => checkTurn(database, owner, session_id) };
}

/** The same question again, for a new execution: in its session, the answer begins anew, to the question as it stands there now. */
export function repeatedQuestion(database: Database, owner: Owner, record: ExecutionRecord): AskWork {
  const { turn, ...input } = JOBS['knowledge.ask'].input.parse(record.input);
  if (turn === undefined) return { kind: 'knowledge.ask', model: input.model, prepare: () => ({ input }) };
  const work = turnWork(database, owner, {
    kind: 'knowledge.ask',
    model: input.model,
    begin: (executionId) => restartTurn(database, owner, turn, executionId),
    inputOf: async () => {
      const asked = await database.messages.get(owner, turn.user_message_id);
      return { ...input, question: asked?.content ?? input.question, turn };
    },
  });
  return { ...work, check: () => checkTurn(database, owner, turn.session_id) };
}

/** The same search again. */
export function repeatedSearch(
  record: ExecutionRecord,
): Pick<DispatchRequest<'knowledge.search'>, 'kind' | 'model' | 'prepare'> {
  const input = JOBS['knowledge.search'].input.parse(record.input);
  return { kind: 'knowledge.search', model: null, prepare: () => ({ input }) };
}
