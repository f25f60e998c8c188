import { setTimeout as sleep } from 'node:timers/promises';
import type { ChatCompletionInput } from '@chorus/contract';
import type { Database, KnowledgeRecord } from '@chorus/database';
import type { TurnJob } from './stream-answer.ts';

/** How long a turn waits for documents that are still being read. */
const WAIT_MS = 60_000;
/** Time that is left for the answer. */
const ANSWER_MS = 30_000;
const LOOK_EVERY_MS = 500;

/** For the model. Titles come from documents, so it does not name them. */
export const SOME_UNREAD =
  'Some documents that the user attached are not among the sources, because they could not be read or are still being read. Say so if the question is about them.';

export interface SessionDocuments {
  ready: KnowledgeRecord[];
  /** Names the documents that the turn cannot use. */
  warnings: string[];
}

const NONE: SessionDocuments = { ready: [], warnings: [] };

/**
 * Returns the documents of a turn's conversation. Waits for those that are still being read, within limits.
 *
 * @param endsAt deadline of the turn by `performance.now()`
 * @throws the signal's reason; `store_unavailable`
 */
export async function sessionDocuments(
  { database }: { database: Pick<Database, 'knowledge'> },
  { owner, signal, emit }: Pick<TurnJob, 'owner' | 'signal' | 'emit'>,
  { source, endsAt }: { source: ChatCompletionInput['source']; endsAt: number },
): Promise<SessionDocuments> {
  if (source.type !== 'session' || source.opening !== undefined) return NONE;
  const now = performance.now();
  const until = Math.min(now + WAIT_MS, endsAt - ANSWER_MS);
  let reported = -1;
  for (;;) {
    const documents = await database.knowledge.listOfSession(owner, source.session_id);
    const ready = documents.filter(({ searchable_revision }) => searchable_revision !== null);
    const reading = documents.filter((one) => one.searchable_revision === null && one.status === 'processing');
    if (reading.length === 0 || performance.now() > until) return { ready, warnings: documents.flatMap(warningOf) };
    const completed = documents.length - reading.length;
    if (completed !== reported)
      emit({ type: 'progress', progress: { completed, total: documents.length, stage: 'reading' } });
    reported = completed;
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

function warningOf({ title, status, error, searchable_revision }: KnowledgeRecord): string[] {
  if (searchable_revision !== null) return [];
  if (status === 'processing')
    return [`“${title}” is still being read, so this answer does not use it. Ask again when it is ready.`];
  return [`“${title}” could not be read, so this answer does not use it: ${error?.message ?? 'unknown error.'}`];
}
