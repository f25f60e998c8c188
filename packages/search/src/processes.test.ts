import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import type { ChunkTable, StoredChunk } from './search.ts';
import { chunk, newLocation, newSearch, SPACE } from './test-search.ts';

const WRITER = fileURLToPath(new URL('test-writer.ts', import.meta.url));

interface Writer {
  child: ChildProcessByStdio<null, Readable, null>;
  /** Last acknowledged revision of each entry. */
  acknowledged: Map<string, number>;
  /** Resolves with the number of its next acknowledgement. */
  next(): Promise<unknown>;
  ended: Promise<unknown>;
}

function startWriter(location: string, name: string, entries: number, rounds: number): Writer {
  const child = spawn(process.execPath, [WRITER, location, name, `${entries}`, `${rounds}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const acknowledged = new Map<string, number>();
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => {
    const [entry = '', revision] = line.split(' ');
    acknowledged.set(entry, Number(revision));
  });
  return { child, acknowledged, next: () => once(lines, 'line'), ended: once(child, 'close') };
}

/** Asserts that each entry shows one complete revision. */
function expectWhole(chunks: readonly StoredChunk[]): Map<string, number> {
  const entries = Map.groupBy(chunks, ({ entry_id }) => entry_id);
  const revisions = new Map<string, number>();
  for (const [entry, rows] of entries) {
    const revision = rows[0]?.revision ?? 0;
    const seen = rows.map((row) => `${row.revision}:${row.position}`).sort();
    expect(seen).toEqual(Array.from({ length: (revision % 7) + 1 }, (_, at) => `${revision}:${at}`));
    revisions.set(entry, revision);
  }
  return revisions;
}

const look = (table: ChunkTable) =>
  table.find({ scopeKey: 'a', text: 'fox', vector: Float32Array.of(1, 0, 0, 0), limit: 100, weight: 0.5 });

test('shows complete revisions at any moment while several processes replace entries, and the last one at the end', async () => {
  const location = await newLocation();
  const search = await newSearch(location);
  const table = await search.chunks(SPACE);
  const writers = ['one', 'two'].map((name) => startWriter(location, name, 2, 8));
  const ended = Promise.all(writers.map((writer) => writer.ended));
  let running = true;
  void ended.finally(() => {
    running = false;
  });
  let looks = 0;
  const upkeep = search.maintain({ signal: new AbortController().signal });
  while (running) {
    expectWhole(await look(table));
    looks += 1;
  }
  await ended;
  await upkeep;
  expect(looks).toBeGreaterThan(3);
  const expected = new Map(writers.flatMap((writer) => [...writer.acknowledged]));
  expect(expected.size).toBe(4);
  expect(expectWhole(await look(table))).toEqual(expected);
});

test('loses no acknowledged write and leaves no partial one when a process is killed', async () => {
  const location = await newLocation();
  const table = await (await newSearch(location)).chunks(SPACE);
  for (let round = 0; round < 3; round += 1) {
    const writer = startWriter(location, `killed-${round}`, 1, 1_000);
    await writer.next();
    // Stops somewhere within the next replacements: each takes several commits.
    for (let more = 0; more < round; more += 1) await writer.next();
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 40));
    writer.child.kill('SIGKILL');
    await writer.ended;
    const entry = `killed-${round}-0`;
    const acknowledged = writer.acknowledged.get(entry) ?? 0;
    const seen = expectWhole(await look(table)).get(entry) ?? 0;
    // The replacement in progress may or may not have been shown.
    expect([acknowledged, acknowledged + 1]).toContain(seen);
  }
  await table.replace('a', 'killed-0-0', [chunk('a', 'killed-0-0', 0, { revision: 7_000 })]);
  expect(expectWhole(await look(table)).get('killed-0-0')).toBe(7_000);
});
