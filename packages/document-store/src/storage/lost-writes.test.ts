import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MongoClient } from 'mongodb';
import { expect, test } from 'vitest';
import { backUp, restore } from '../backup.ts';
import { startDocumentStore } from '../server.ts';
import { spawnStore, temporaryDirectory } from '../test-store.ts';
import {
  change,
  DOCUMENTS,
  documentsIn,
  expectRefusal,
  type Files,
  filesIn,
  flipByte,
  runSample,
} from './test-sample.ts';

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));

/** Accepts the loss on the command line. */
function acceptLoss({ directory }: Files): string {
  return execFileSync(process.execPath, [MAIN, '--path', directory, '--accept-lost-writes'], { encoding: 'utf8' });
}

/** Expects a refused start, and a given number of documents once the loss is accepted. */
async function expectLoss(files: Files, words: RegExp, left: number): Promise<void> {
  await expectRefusal(files.directory, words);
  await expectRefusal(files.directory, /--restore.*--accept-lost-writes/);
  expect(acceptLoss(files)).toMatch(words);
  expect(documentsIn(files.directory)).toBe(left);
}

test('rejects a log that was removed after kill -9', async () => {
  const directory = await temporaryDirectory();
  const { uri, child } = await spawnStore(directory);
  const client = await new MongoClient(uri).connect();
  const things = client.db('sample').collection('things');
  for (let n = 0; n < 20; n++) await things.insertOne({ n });
  await client.close();
  child.kill('SIGKILL');
  await once(child, 'exit');
  const files = filesIn(join(directory, 'data'));
  rmSync(files.log);
  await expectLoss(files, /-wal is missing, truncated, or replaced: it has none of the acknowledged pages/, 0);
});

test('rejects a truncated log', async () => {
  const sample = await runSample();
  for (let n = 1000; n < 1005; n++) await sample.insert(n);
  const length = readFileSync(sample.log).length;
  const frame = 4096 + 24;
  // Between transactions, inside one, inside a frame, and inside the header.
  for (const end of [32 + 3 * frame, length - frame, length - 1, 20, 0]) {
    const files = await sample.crash();
    truncateSync(files.log, end);
    await expectRefusal(files.directory, /acknowledged/);
  }
  const cut = await sample.crash();
  truncateSync(cut.log, length - 1);
  await expectLoss(cut, /it has \d+ of \d+ acknowledged pages/, DOCUMENTS + 4);
});

test('rejects an earlier state of the same log', async () => {
  const sample = await runSample();
  await sample.insert(1000);
  const early = await sample.crash();
  await sample.insert(1001);
  const files = await sample.crash();
  cpSync(early.log, files.log);
  await expectLoss(files, /-wal is missing, truncated, or replaced/, DOCUMENTS + 1);
});

test('rejects an earlier state of a log that was checkpointed since', async () => {
  const sample = await runSample();
  for (let n = 1000; n < 1003; n++) await sample.insert(n);
  const early = await sample.crash();
  await sample.insert(1003);
  await sample.close();
  const files = filesIn(sample.directory);
  cpSync(early.log, files.log);
  await expectRefusal(files.directory, /-wal is missing, truncated, or replaced/);
});

test('rejects an older file, with and without its log', async () => {
  const sample = await runSample();
  const early = await sample.crash();
  await sample.insert(1000);
  await sample.close();
  const again = await startDocumentStore({ path: sample.directory });
  const client = await new MongoClient(`${again.uri}/sample`).connect();
  await client.db().collection('things').insertOne({ n: 1001 });
  const killed = filesIn(join(await temporaryDirectory(), 'killed'));
  mkdirSync(killed.directory);
  for (const name of ['store.sqlite-wal', 'store.sqlite-commits']) {
    cpSync(join(sample.directory, name), join(killed.directory, name));
  }
  cpSync(early.file, killed.file);
  await expectRefusal(killed.directory, /store.sqlite-wal does not belong to/);
  rmSync(killed.log);
  await expectLoss(killed, /-wal is missing|is older than/, DOCUMENTS);
  await client.close();
  await again.close();
  const closed = filesIn(sample.directory);
  cpSync(early.file, closed.file);
  await expectLoss(closed, /is older than the acknowledged writes/, DOCUMENTS);
});

test('accepts a file after a crash during a checkpoint of its schema', async () => {
  const sample = await runSample();
  for (let n = 0; n < 60; n++) await sample.addCollection(`added_${n}`);
  const before = await sample.crash();
  await sample.close();
  const checkpointed = readFileSync(sample.file);
  for (const pages of [1, 2, 3, 5, 8, 20, 60, 100]) {
    const files = filesIn(join(await temporaryDirectory(), 'killed'));
    cpSync(before.directory, files.directory, { recursive: true });
    const old = readFileSync(files.file);
    const copied = checkpointed.subarray(0, pages * 4096);
    writeFileSync(files.file, Buffer.concat([copied, old.subarray(Math.min(copied.length, old.length))]));
    expect([pages, documentsIn(files.directory)]).toEqual([pages, DOCUMENTS + 60]);
  }
});

test('rejects a truncated file, even if its log exists', async () => {
  const sample = await runSample();
  await sample.insert(1000);
  const files = await sample.crash();
  truncateSync(files.file, readFileSync(files.file).length - 4096);
  await expectRefusal(files.directory, /its end is missing/);
});

test('rejects a file without its commit record', async () => {
  const sample = await runSample();
  await sample.insert(1000);
  const files = await sample.crash();
  rmSync(files.record);
  await expectLoss(files, /store\.sqlite-commits is missing/, DOCUMENTS + 1);
});

test('rejects a commit record whose file is missing', async () => {
  const sample = await runSample();
  await sample.close();
  rmSync(sample.file);
  await expectRefusal(sample.directory, /is missing, but its commit record/);
});

test('starts after a torn write of the commit record, using the other slot', async () => {
  const sample = await runSample();
  for (let n = 1000; n < 1004; n++) {
    await sample.insert(n);
    for (const slot of [0, 4096]) {
      const files = await sample.crash();
      change(files.record, (bytes) => flipByte(bytes, slot + 50));
      expect(documentsIn(files.directory)).toBe(DOCUMENTS + n - 999);
    }
  }
  const files = await sample.crash();
  change(files.record, (bytes) => {
    flipByte(bytes, 50);
    flipByte(bytes, 4096 + 50);
    return undefined;
  });
  await expectLoss(files, /store\.sqlite-commits is damaged/, DOCUMENTS + 4);
});

test('starts with an outdated record, as after a power failure', async () => {
  const sample = await runSample();
  await sample.insert(1000);
  const early = await sample.crash();
  await sample.insert(1001);
  const files = await sample.crash();
  cpSync(early.record, files.record);
  expect(documentsIn(files.directory)).toBe(DOCUMENTS + 2);
});

test('loses nothing in a crash between checkpoint and truncation, or between the first commit of a log and its record', async () => {
  const sample = await runSample();
  const atStart = await sample.crash();
  await sample.insert(1000);
  const first = await sample.crash();
  cpSync(atStart.record, first.record);
  expect(documentsIn(first.directory)).toBe(DOCUMENTS + 1);
  const checkpointed = await sample.crash();
  const log = readFileSync(checkpointed.log);
  expect(documentsIn(checkpointed.directory)).toBe(DOCUMENTS + 1);
  writeFileSync(checkpointed.log, log);
  expect(documentsIn(checkpointed.directory)).toBe(DOCUMENTS + 1);
});

test('loses nothing in a crash during a checkpoint', async () => {
  const sample = await runSample();
  const before = readFileSync(sample.file).length;
  for (let n = 1000; n < 1200; n++) await sample.insert(n);
  const killed = await sample.crash();
  await sample.close();
  const checkpointed = readFileSync(sample.file);
  expect(checkpointed.length).toBeGreaterThan(before);
  // The first page already has the new size.
  writeFileSync(killed.file, checkpointed.subarray(0, before));
  expect(documentsIn(killed.directory)).toBe(DOCUMENTS + 200);
});

test('rejects a backup copied over the file, and restores it with --restore', async () => {
  const sample = await runSample();
  await sample.close();
  const backup = join(await temporaryDirectory(), 'backup');
  await backUp(sample.directory, backup);
  const again = await startDocumentStore({ path: sample.directory });
  const client = await new MongoClient(`${again.uri}/sample`).connect();
  await client.db().collection('things').insertOne({ n: 1000 });
  await client.close();
  await again.close();
  cpSync(backup, sample.file);
  await expectRefusal(sample.directory, /was replaced by a copy or a backup/);
  restore(sample.directory, backup);
  expect(documentsIn(sample.directory)).toBe(DOCUMENTS);
});

test('reports if nothing was lost', async () => {
  const sample = await runSample();
  await sample.close();
  expect(acceptLoss(sample)).toMatch(/No damage found[\s\S]*No acknowledged write was missing/);
});

test('sets a foreign log aside once that is accepted', async () => {
  const [one, other] = await Promise.all([runSample(), runSample()]);
  await one.insert(1000);
  await other.insert(2000);
  const [mine, foreign] = await Promise.all([one.crash(), other.crash()]);
  cpSync(foreign.log, mine.log);
  await expectRefusal(mine.directory, /store.sqlite-wal does not belong to/);
  expect(acceptLoss(mine)).toMatch(/It is kept as .*set-aside-.*\.sqlite-wal/);
  expect(documentsIn(mine.directory)).toBe(DOCUMENTS);
});
