import { ChorusError, type ErrorBody, isTerminal, toErrorBody } from '@chorus/contract';
import type { Database, ExecutionRecord, Processing } from '@chorus/database';
import type { EventLog } from '@chorus/events';
import { endFromOutside, failedOutcome } from '@chorus/executions';
import type { Logger } from '@chorus/runtime/log';
import { entryOfKey } from './knowledge-keys.ts';
import { finishDeletion, type RemovalParts } from './remove-entry.ts';
import type { RevisionStore } from './revision-files.ts';

/** Minimum age of an entry, since younger ones may not have been queued yet. */
const SETTLED_AFTER_MS = 15_000;

/** A document for a conversation that no message names is deleted after this time. */
const UNUSED_MS = 86_400_000;

const PAGE = 200;

export interface KnowledgeSweepParts extends RemovalParts {
  database: RemovalParts['database'] & Pick<Database, 'executions' | 'messages' | 'sessions'>;
  eventLog: EventLog;
  /** Time limit for processing an entry, including the wait for a worker. */
  deadlineMs: number;
  /** Charges ended executions to their budgets. */
  charge?: (execution: ExecutionRecord) => void;
  log: Logger;
}

/**
 * Fails entries without an execution, ends those that take too long, deletes documents that no conversation uses, and
 * continues interrupted deletions.
 *
 * @throws {ChorusError} store_unavailable
 */
export async function sweepKnowledge(parts: KnowledgeSweepParts): Promise<{ failed: number; deleted: number }> {
  const counts = { failed: 0, deleted: 0 };
  const { knowledge } = parts.database;
  const since = new Date(Date.now() - SETTLED_AFTER_MS);
  for (let after: string | undefined; ; ) {
    const page = await knowledge.listProcessing({ since, limit: PAGE, after });
    counts.failed += await failLost(parts, page);
    after = page.at(-1)?.id;
    if (page.length < PAGE) break;
  }
  await hideUnused(parts.database);
  for (let after: string | undefined; ; ) {
    const page = await knowledge.listHidden({ limit: PAGE, after });
    for (const hidden of page) if (await finishDeletion(parts, hidden)) counts.deleted += 1;
    after = page.at(-1)?.id;
    if (page.length < PAGE) return counts;
  }
}

async function hideUnused({ knowledge }: Pick<Database, 'knowledge'>): Promise<void> {
  const before = new Date(Date.now() - UNUSED_MS);
  for (;;) {
    const page = await knowledge.listUnused({ before, limit: PAGE });
    for (const { owner, id } of page) await knowledge.hideUnused(owner, id);
    if (page.length < PAGE) return;
  }
}

async function failLost(parts: KnowledgeSweepParts, page: Processing[]): Promise<number> {
  const { database, log, deadlineMs } = parts;
  const ids = page.flatMap(({ execution_id }) => execution_id ?? []);
  const states = new Map((await database.executions.listStates(ids)).map((one) => [one.id, one]));
  let failed = 0;
  for (const entry of page) {
    const { id, owner, execution_id, processing_since } = entry;
    const execution = states.get(execution_id ?? '');
    const running = execution !== undefined && !isTerminal(execution.status);
    if (running && Date.now() - processing_since.getTime() < deadlineMs) continue;
    if (running && execution_id !== null) {
      await endTooLate(parts, entry, execution_id);
      log.warn({ entry_id: id, execution_id }, 'ended an ingestion that took too long');
    } else {
      const error = execution?.error ?? lost();
      if (!(await database.knowledge.fail(owner, id, execution_id, error))) continue;
      log.warn({ entry_id: id, execution_id }, 'failed an entry without an execution');
    }
    failed += 1;
  }
  return failed;
}

async function endTooLate(
  { database, eventLog, deadlineMs, charge }: KnowledgeSweepParts,
  { owner }: Processing,
  id: string,
): Promise<void> {
  const hours = Math.round(deadlineMs / 36_000) / 100;
  const error = new ChorusError('timeout', `The document was not ready within ${hours} hours. Retry it.`);
  const ended = await endFromOutside(database, eventLog, { owner, id, outcome: failedOutcome(error, null) });
  if (ended) charge?.(ended);
}

function lost(): ErrorBody {
  return toErrorBody(new ChorusError('worker_lost', 'Processing was interrupted. Retry it.'), null);
}

/** Removes objects stored before `olderThan` without an entry; returns the number of entries they belonged to. */
export async function sweepOrphans(
  { database, blobs, keys }: RevisionStore & { database: Pick<Database, 'knowledge'> },
  olderThan: Date,
): Promise<number> {
  const prefix = await keys.prefix();
  const swept = new Set<string>();
  for (let after: string | undefined; ; ) {
    const page = await blobs.list({ prefix, ...(after === undefined ? {} : { after }) });
    const old = page.blobs.filter(({ modifiedAt }) => modifiedAt < olderThan).map(({ key }) => key);
    const entries = new Map(old.map((key) => [key, entryOfKey(key)]));
    const existing = await database.knowledge.existing([...new Set([...entries.values()].filter((id) => id !== null))]);
    const orphans = old.filter((key) => {
      const id = entries.get(key);
      return id != null && !existing.has(id);
    });
    await blobs.removeMany(orphans);
    for (const key of orphans) swept.add(String(entries.get(key)));
    if (page.next === null) return swept.size;
    after = page.next;
  }
}
