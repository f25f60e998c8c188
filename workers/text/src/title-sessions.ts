import { chatCompletion, chatTitle, dependentId, type Owner } from '@chorus/contract';
import type { Database, ExecutionRecord } from '@chorus/database';
import type { Work } from '@chorus/executions';
import type { Logger } from '@chorus/runtime/log';
import { z } from 'zod';
import { EXTRACTING_MODEL } from './handlers/stream-answer.ts';

interface TitleSessionsParts {
  database: Pick<Database, 'executions'>;
  dispatcher: {
    dispatch(
      title: Work<typeof chatTitle.kind> &
        Record<'requestId' | 'apiKeyId', string | null> & { id: string; owner: Owner; follow: false },
    ): Promise<unknown>;
  };
  /** Null: the model of the answer. */
  model: string | null;
  log: Logger;
}

/** A turn that named its session after its message. */
const namingTurn = z.object({
  source: z.object({ titled: z.string(), session_id: z.string(), assistant_message_id: z.string() }),
});

export interface SessionTitles {
  /** Dispatches the title of a session after its first answer. Never fails. */
  onEnded(execution: ExecutionRecord): void;
  /** Waits for dispatches. */
  close(): Promise<void>;
}

/**
 * Lets a model name sessions. The job's id comes from the answer, so a session is named once. If this process dies
 * before it dispatches the job, or the job fails, the session keeps the title from its first message.
 */
export function titleSessions({ database, dispatcher, model: configured, log }: TitleSessionsParts): SessionTitles {
  const dispatching = new Set<Promise<unknown>>();

  const dispatch = async ({ owner, model: answered, input, request_id, api_key_id }: ExecutionRecord) => {
    const { data } = namingTurn.safeParse(input);
    const model = configured ?? answered;
    if (data === undefined || model === null || model === EXTRACTING_MODEL) return;
    const { titled: replaces, session_id, assistant_message_id } = data.source;
    const id = dependentId('job', assistant_message_id);
    if ((await database.executions.get(owner, id)) !== null) return;
    const title = { kind: chatTitle.kind, model, session_id, input: { model, session_id, replaces } } as const;
    await dispatcher.dispatch({ ...title, id, owner, requestId: request_id, apiKeyId: api_key_id, follow: false });
  };

  return {
    onEnded(execution) {
      if (execution.kind !== chatCompletion.kind || execution.status !== 'succeeded') return;
      const work = dispatch(execution)
        .catch((err) => log.warn({ err, session_id: execution.session_id }, 'session keeps the title from its message'))
        .finally(() => dispatching.delete(work));
      dispatching.add(work);
    },
    close: async () => void (await Promise.allSettled(dispatching)),
  };
}
