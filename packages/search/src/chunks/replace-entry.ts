import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { ChorusError } from '@chorus/contract/errors';
import type { Table } from '@lancedb/lancedb';
import type { ChunkRow, VectorSpace } from '../search.ts';
import { loadLanceDB } from '../store/load-lancedb.ts';
import { allOf, literal, oneOf } from '../store/sql.ts';
import { withRetries } from '../store/with-retries.ts';
import { wordsOf } from '../store/words.ts';
import { chunkTerms } from './chunk-terms.ts';

/** Rows to hold in memory and write at once: 12 MB with 3,072 dimensions. */
const BATCH_ROWS = 1_000;

/** Entries per shared commit, and the shortest time from one to the next. The first after a pause is immediate. */
const GROUP_SIZE = 256;
const COMMIT_INTERVAL_MS = 200;

/** Hidden rows belong to a replacement in progress until this age. */
export const ABANDONED_AFTER_MS = 3_600_000;

interface Entry {
  scopeKey: string;
  entryId: string;
}

type NewRow = Omit<ChunkRow, 'tags'> & { tags: string[] | null; terms: string; words: string };

interface SmallEntry extends Entry {
  rows: readonly NewRow[];
}

interface Waiting extends SmallEntry {
  done: PromiseWithResolvers<void>;
}

/**
 * Writes an entry's new chunks hidden, then shows them and hides the old ones in one commit, then deletes the
 * old ones. A new entry that fits into one commit is shown by it.
 *
 * Each commit costs a new version, files, and syncs, so small entries that arrive during a commit share the next
 * one. The engine's merge is also atomic, but keeps all rows in memory and reads the whole table each time.
 */
export function createReplacement(table: Table, space: VectorSpace) {
  let waiting: Waiting[] = [];
  let running = false;

  const runGroups = async (): Promise<void> => {
    running = true;
    while (waiting.length > 0) {
      const startedAt = performance.now();
      const group = takeGroup(waiting);
      waiting = waiting.filter((one) => !group.includes(one));
      try {
        await replaceSmall(table, space, group);
        for (const { done } of group) done.resolve();
      } catch (error) {
        for (const { done } of group) done.reject(error);
      }
      if (waiting.length < GROUP_SIZE)
        await setTimeout(Math.max(0, startedAt + COMMIT_INTERVAL_MS - performance.now()));
    }
    running = false;
  };

  return async (entry: Entry, rows: AsyncIterable<ChunkRow> | readonly ChunkRow[]): Promise<void> => {
    const source = inParts(rows, entry, space);
    const first = await source.next();
    if (first.done) {
      await withRetries(() => table.delete(rowsOf([entry])));
    } else if (first.value.isLast) {
      const done = Promise.withResolvers<void>();
      waiting.push({ ...entry, rows: first.value.rows, done });
      if (!running) void runGroups();
      await done.promise;
    } else await replaceLarge(table, space, entry, first.value.rows, source);
  };
}

/** Returns entries for one commit, without duplicates, and with a bounded number of rows. */
function takeGroup(waiting: readonly Waiting[]): Waiting[] {
  const group: Waiting[] = [];
  const ids = new Set<string>();
  let rows = 0;
  for (const one of waiting) {
    if (group.length === GROUP_SIZE || (rows > 0 && rows + one.rows.length > BATCH_ROWS)) break;
    if (ids.has(one.entryId)) continue;
    ids.add(one.entryId);
    rows += one.rows.length;
    group.push(one);
  }
  return group;
}

async function* inParts(
  rows: AsyncIterable<ChunkRow> | readonly ChunkRow[],
  entry: Entry,
  space: VectorSpace,
): AsyncGenerator<{ rows: NewRow[]; isLast: boolean }, void, undefined> {
  let held: NewRow[] = [];
  for await (const row of rows) {
    assertFits(row, entry, space);
    if (held.length === BATCH_ROWS) {
      yield { rows: held, isLast: false };
      held = [];
    }
    const terms = chunkTerms(row);
    held.push({ ...row, tags: row.tags.length > 0 ? row.tags : null, terms, words: wordsOf(terms) });
  }
  if (held.length > 0) yield { rows: held, isLast: true };
}

async function replaceSmall(table: Table, space: VectorSpace, entries: readonly SmallEntry[]): Promise<void> {
  const batch = newBatch();
  const before = await liveBatches(table, entries);
  const isNew = ({ entryId }: Entry) => !before.has(entryId);
  const rows = entries.flatMap((entry) => entry.rows.map((row) => ({ ...row, batch, live: isNew(entry) })));
  await addRows(table, space, rows);
  const fresh = entries.filter(isNew);
  // Another process may have written the first rows of the same entry.
  const after = fresh.length > 0 ? await liveBatches(table, fresh) : new Map<string, string[]>();
  const replacing = entries.filter((entry) => !isNew(entry) || after.get(entry.entryId)?.length !== 1);
  if (replacing.length > 0) await show(table, batch, replacing, [...before.values()].flat());
}

async function replaceLarge(
  table: Table,
  space: VectorSpace,
  entry: Entry,
  first: readonly NewRow[],
  others: AsyncIterable<{ rows: readonly NewRow[] }>,
): Promise<void> {
  const batch = newBatch();
  const write = (rows: readonly NewRow[]) =>
    addRows(
      table,
      space,
      rows.map((row) => ({ ...row, batch, live: false })),
    );
  await write(first);
  for await (const { rows } of others) await write(rows);
  const before = await liveBatches(table, [entry]);
  await show(table, batch, [entry], [...before.values()].flat());
}

/** Shows the rows of a replacement, hides all others of its entries, and deletes those. */
async function show(table: Table, batch: string, entries: readonly Entry[], before: readonly string[]): Promise<void> {
  const ours = rowsOf(entries);
  await withRetries(() => table.update({ valuesSql: { live: `batch = ${literal(batch)}` }, where: ours }));
  const oldest = literal(String(Date.now() - ABANDONED_AFTER_MS).padStart(13, '0'));
  const replaced = before.length > 0 ? `(${oneOf('batch', before)} OR batch < ${oldest})` : `batch < ${oldest}`;
  await withRetries(() => table.delete(allOf(ours, 'live = false', replaced)));
}

/** Returns the replacements with visible rows: at most one per entry, or more if two first ones ran concurrently. */
async function liveBatches(table: Table, entries: readonly Entry[]): Promise<Map<string, string[]>> {
  const rows: { entry_id: string; batch: string }[] = await withRetries(() =>
    table
      .query()
      .where(allOf(rowsOf(entries), 'live = true'))
      .select(['entry_id', 'batch'])
      .toArray(),
  );
  const batches = new Map<string, string[]>();
  for (const { entry_id, batch } of rows) {
    const known = batches.get(entry_id) ?? [];
    if (!known.includes(batch)) batches.set(entry_id, [...known, batch]);
  }
  return batches;
}

function rowsOf(entries: readonly Entry[]): string {
  const scopes = [...Map.groupBy(entries, ({ scopeKey }) => scopeKey)].map(([scopeKey, own]) =>
    allOf(
      `scope_key = ${literal(scopeKey)}`,
      oneOf(
        'entry_id',
        own.map(({ entryId }) => entryId),
      ),
    ),
  );
  return scopes.length === 1 ? (scopes[0] as string) : `(${scopes.map((scope) => `(${scope})`).join(' OR ')})`;
}

const newBatch = () => `${String(Date.now()).padStart(13, '0')}-${randomBytes(8).toString('hex')}`;

async function addRows(
  table: Table,
  space: VectorSpace,
  rows: (NewRow & { batch: string; live: boolean })[],
): Promise<void> {
  const { chunkSchema } = await import('./chunk-schema.ts');
  const { makeArrowTable } = await loadLanceDB();
  const data = makeArrowTable(rows as unknown as Record<string, unknown>[], { schema: chunkSchema(space.dimensions) });
  await withRetries(() => table.add(data));
}

function assertFits(chunk: ChunkRow, entry: Entry, space: VectorSpace): void {
  const { id, scope_key, entry_id, revision, position, vector } = chunk;
  if (scope_key !== entry.scopeKey || entry_id !== entry.entryId)
    throw new ChorusError('invalid_request', 'The chunk belongs to another scope or entry.');
  if (id !== `${entry_id}:${revision}:${position}`)
    throw new ChorusError('invalid_request', "The chunk's id does not match its entry, revision, and position.");
  if (vector !== null && vector.length !== space.dimensions)
    throw new ChorusError(
      'invalid_request',
      `The vector has ${vector.length} dimensions; ${space.name} needs ${space.dimensions}.`,
    );
}
