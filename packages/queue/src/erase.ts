import { setTimeout as pause } from 'node:timers/promises';
import { ChorusError, isTerminal, personalScope, workspaceScope } from '@chorus/contract';
import type { Database, ErasureTarget, KnowledgeRecord } from '@chorus/database';
import type { EventLog } from '@chorus/events';
import { poll } from '@chorus/runtime/timing';
import type { Dispatcher } from './dispatcher.ts';

const PAGE = 500;

/** How long the batch feeder may take to notice that a batch has ended. */
const FEEDER_DELAY_MS = 2_500;

const STOP_TIMEOUT_MS = 30_000;
const POLL_MS = 200;

export interface ErasureParts {
  database: Pick<Database, 'erasure' | 'executions' | 'workspaces'>;
  eventLog: Pick<EventLog, 'forget' | 'forgetFeed'>;
  dispatcher: Pick<Dispatcher, 'cancel' | 'forget' | 'forgetUser'>;
  assets: { removeBytes(ids: readonly string[]): Promise<void> };
  removeEntry(entry: KnowledgeRecord): Promise<void>;
  search: { removeScope(scopeKey: string): Promise<void>; removeUser(userId: string): Promise<void> };
  /** Defaults to 30,000. */
  stopsWithinMs?: number;
}

/**
 * Erases a user or a workspace. Ends its batches and running work, then deletes everything stored for it.
 * The caller has already disabled the user or deleted the workspace, so no new work begins. Idempotent.
 *
 * @returns the number of deleted records by collection
 * @throws {ChorusError} `conflict` if an execution still runs after 30 s; `store_unavailable`
 */
export async function erase(parts: ErasureParts, target: ErasureTarget): Promise<Record<string, number>> {
  const { database, dispatcher, eventLog } = parts;
  if ((await database.erasure.stopBatches(target)) > 0) await pause(FEEDER_DELAY_MS);
  await stopAll(parts, target);
  for await (const execution of executionsOf(parts, target)) {
    await Promise.all([dispatcher.forget(execution), eventLog.forget(execution.id)]);
  }
  await removeEntries(parts, target);
  await removeBytes(parts, target);
  await removeFromSearch(parts, target);
  const scopes = await scopesOf(parts, target);
  const counts = await database.erasure.erase(target);
  // Again: texts were still being indexed until their records were deleted.
  await removeFromSearch(parts, target);
  // Last, since ends are announced in the background.
  await Promise.all(scopes.map((scope) => eventLog.forgetFeed(scope)));
  if ('user_id' in target) await dispatcher.forgetUser(target.user_id);
  return counts;
}

/** Returns the scopes whose feeds mention the target. */
async function scopesOf({ database }: ErasureParts, target: ErasureTarget): Promise<string[]> {
  if ('workspace_id' in target) return [workspaceScope(target.workspace_id)];
  const scopes = [personalScope(target.user_id)];
  for (let after: string | undefined; ; ) {
    const page = await database.workspaces.listOfUser(target.user_id, { limit: PAGE, after });
    scopes.push(...page.data.map(({ workspace_id }) => workspaceScope(workspace_id)));
    if (page.next_cursor === null) return scopes;
    after = page.next_cursor;
  }
}

/** Removes the bytes before the records that name them, so it can be repeated after a crash. */
async function removeBytes({ database, assets }: ErasureParts, target: ErasureTarget): Promise<void> {
  for (let after: string | undefined; ; ) {
    const page = await database.erasure.assets(target, { after, limit: PAGE });
    await assets.removeBytes(page);
    after = page.at(-1);
    if (page.length < PAGE) return;
  }
}

async function removeEntries({ database, removeEntry }: ErasureParts, target: ErasureTarget): Promise<void> {
  for (let after: string | undefined; ; ) {
    const page = await database.erasure.entries(target, { after, limit: PAGE });
    for (const entry of page) await removeEntry(entry);
    after = page.at(-1)?.id;
    if (page.length < PAGE) return;
  }
}

async function removeFromSearch({ search }: ErasureParts, target: ErasureTarget): Promise<void> {
  if ('workspace_id' in target) return search.removeScope(workspaceScope(target.workspace_id));
  await search.removeScope(personalScope(target.user_id));
  await search.removeUser(target.user_id);
}

async function* executionsOf({ database }: ErasureParts, target: ErasureTarget) {
  for (let after: string | undefined; ; ) {
    const page = await database.erasure.executions(target, { after, limit: PAGE });
    yield* page;
    after = page.at(-1)?.id;
    if (page.length < PAGE) return;
  }
}

async function stopAll(parts: ErasureParts, target: ErasureTarget): Promise<void> {
  const { database, dispatcher } = parts;
  const running = [];
  for await (const execution of executionsOf(parts, target)) {
    if (isTerminal(execution.status)) continue;
    await dispatcher.cancel(execution.owner, execution.id);
    running.push(execution);
  }
  const deadline = performance.now() + (parts.stopsWithinMs ?? STOP_TIMEOUT_MS);
  for (const { owner, id } of running) {
    const hasStopped = async () => {
      const record = await database.executions.get(owner, id);
      return record === null || isTerminal(record.status);
    };
    const withinMs = deadline - performance.now();
    if (await poll(hasStopped, { everyMs: POLL_MS, withinMs })) continue;
    throw new ChorusError('conflict', `Execution ${id} is still running, so nothing was deleted. Try again.`, {
      retryAfterS: 30,
    });
  }
}
