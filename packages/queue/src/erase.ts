import { setTimeout as pause } from 'node:timers/promises';
import { ChorusError, isTerminal, personalScope, workspaceScope } from '@chorus/contract';
import type { Database, ErasureTarget, KnowledgeRecord } from '@chorus/database';
import type { EventLog } from '@chorus/events';
import type { Dispatcher } from './dispatcher.ts';

/** Executions looked at in one round trip. */
const PAGE = 500;

/** Within this whoever feeds batches has seen that one has ended, in milliseconds. */
const FEEDER_LETS_GO_MS = 2_500;

const STOPS_WITHIN_MS = 30_000;
/** How often what still runs is looked at, in milliseconds. */
const LOOK_EVERY_MS = 200;

export interface ErasureParts {
  database: Pick<Database, 'erasure' | 'executions' | 'workspaces'>;
  eventLog: Pick<EventLog, 'forget' | 'forgetFeed'>;
  dispatcher: Pick<Dispatcher, 'cancel' | 'forget' | 'forgetUser'>;
  assets: { removeBytes(ids: readonly string[]): Promise<void> };
  /** Removes the chunks, vectors and files of an entry. */
  removeEntry(entry: KnowledgeRecord): Promise<void>;
  search: { removeScope(scopeKey: string): Promise<void>; removeUser(userId: string): Promise<void> };
  /** How long what still runs may take to stop, in milliseconds; 30,000 unless said otherwise. */
  stopsWithinMs?: number;
}

/**
 * Forgets a user or a workspace: ends its batches, cancels what runs, then deletes jobs, event logs, the bytes of assets, what documents were made into, what is searched, records and what the feeds still tell. Whoever calls it has seen to it that nothing new
 * begins (the user is disabled, the workspace deleted). Can be repeated.
 *
 * @returns how many records went, by collection
 * @throws {ChorusError} `conflict` when something still runs after 30 s; `store_unavailable`
 */
export async function erase(parts: ErasureParts, target: ErasureTarget): Promise<Record<string, number>> {
  const { database, dispatcher, eventLog } = parts;
  if ((await database.erasure.stopBatches(target)) > 0) await pause(FEEDER_LETS_GO_MS);
  await stopAll(parts, target);
  for await (const execution of executionsOf(parts, target)) {
    await Promise.all([dispatcher.forget(execution), eventLog.forget(execution.id)]);
  }
  await removeEntries(parts, target);
  await removeBytes(parts, target);
  await removeSearched(parts, target);
  const scopes = await scopesOf(parts, target);
  const counts = await database.erasure.erase(target);
  // Once more: until the records went, their texts were still being indexed.
  await removeSearched(parts, target);
  // Last, since ends are told without anybody waiting for it.
  await Promise.all(scopes.map((scope) => eventLog.forgetFeed(scope)));
  if ('user_id' in target) await dispatcher.forgetUser(target.user_id);
  return counts;
}

/** Where the target is told of. */
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

/** The bytes go before the records that tell of them: what was cut off can then be given again. */
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

async function removeSearched({ search }: ErasureParts, target: ErasureTarget): Promise<void> {
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
  const deadline = performance.now() + (parts.stopsWithinMs ?? STOPS_WITHIN_MS);
  for (const { owner, id } of running) {
    for (;;) {
      const record = await database.executions.get(owner, id);
      if (record === null || isTerminal(record.status)) break;
      if (performance.now() > deadline) {
        throw new ChorusError('conflict', `The execution ${id} does not stop; nothing was deleted.`, {
          retryAfterS: 30,
        });
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  }
}
