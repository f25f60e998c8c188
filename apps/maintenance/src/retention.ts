import { ChorusError } from '@chorus/contract';
import type { Database, NewDeletion, SessionRecord, Unused } from '@chorus/database';

const PAGE = 200;

/**
 * How long records are kept; null keeps them.
 *
 * Executions age from their start, batches from their end, sessions from their last message.
 */
export interface Retention {
  executionsMs: number | null;
  sessionsMs: number | null;
}

type Stores = Pick<Database, 'batches' | 'batchItems' | 'batchParts' | 'executions' | 'sessions' | 'usage'>;

/** Deletes a record and everything that belongs to it. */
export interface Deletions {
  carryOut(deletion: NewDeletion, decide: () => Promise<unknown>): Promise<void>;
}

/**
 * Deletes old records of all owners. Sums up the usage of executions before it deletes them.
 * Can be cut off at any time, and can run in several processes.
 *
 * @throws {ChorusError} `store_unavailable`
 */
export async function deleteOld(
  database: Stores,
  deletions: Deletions,
  retention: Retention,
  now = Date.now(),
): Promise<{ batches: number; executions: number; sessions: number }> {
  const before = (keepMs: number) => new Date(now - keepMs);
  return {
    sessions:
      retention.sessionsMs === null ? 0 : await deleteSessions(database, deletions, before(retention.sessionsMs)),
    executions: retention.executionsMs === null ? 0 : await deleteExecutions(database, before(retention.executionsMs)),
    batches: retention.executionsMs === null ? 0 : await deleteBatches(database, before(retention.executionsMs)),
  };
}

/** Time to deliver a result before it is deleted. */
const DELIVERED_WITHIN_MS = 1_800_000;

/**
 * Deletes ended executions that callers asked not to store.
 *
 * @throws {ChorusError} `store_unavailable`
 */
export async function deleteTransient(
  { executions }: { executions: Pick<Database['executions'], 'listTransient' | 'blank'> },
  deletions: Deletions,
  now = Date.now(),
): Promise<number> {
  for (let deleted = 0; ; ) {
    const page = await executions.listTransient({ before: new Date(now - DELIVERED_WITHIN_MS), limit: PAGE });
    for (const { id, owner } of page)
      await deletions.carryOut({ kind: 'execution', id, owner }, () => executions.blank([id]));
    deleted += page.length;
    if (page.length < PAGE) return deleted;
  }
}

async function deleteExecutions({ executions, usage }: Stores, before: Date): Promise<number> {
  if (!(await usage.isFilled())) await usage.fill();
  for (let deleted = 0; ; ) {
    const page = await executions.listOld({ before, limit: PAGE });
    await usage.collect();
    await executions.removeMany(page.map(({ id }) => id));
    deleted += page.length;
    if (page.length < PAGE) return deleted;
  }
}

async function deleteBatches({ batches, batchItems, batchParts }: Stores, before: Date): Promise<number> {
  for (let deleted = 0; ; ) {
    const page = await batches.listOld({ before, limit: PAGE });
    for (const id of page) {
      await batchItems.remove(id);
      await batchParts.removeOf(id);
      await batches.remove(id);
    }
    deleted += page.length;
    if (page.length < PAGE) return deleted;
  }
}

async function deleteSessions({ sessions }: Stores, deletions: Deletions, before: Date): Promise<number> {
  let deleted = 0;
  for (let after: string | undefined; ; ) {
    const page = await sessions.listIdle({ before, limit: PAGE, after });
    for (const session of page) if (await deleteSession({ sessions }, deletions, session, { before })) deleted += 1;
    after = page.at(-1)?.id;
    if (page.length < PAGE) return deleted;
  }
}

/** Deletes a session unless it was used since it was found. Returns whether it did. */
export function deleteSession(
  { sessions }: Pick<Stores, 'sessions'>,
  deletions: Deletions,
  { id, owner }: Pick<SessionRecord, 'id' | 'owner'>,
  unused: Unused,
): Promise<boolean> {
  const decide = async () => {
    if ((await sessions.remove(owner, id, unused)) !== 'deleted')
      throw new ChorusError('session_locked', 'The session is in use.');
  };
  return deletions
    .carryOut({ kind: 'session', id, owner, assets: unused.temporary === true }, decide)
    .then(() => true, keepIfLocked);
}

/** A session with a new turn is kept. */
function keepIfLocked(error: unknown): false {
  if (error instanceof ChorusError && error.code === 'session_locked') return false;
  throw error;
}
