import { readFileSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { startStore } from '@chorus/testing';
import mongoose from 'mongoose';
import { heading, report } from './report.ts';

const DOCUMENTS = 100_000;
const BATCH = 1_000;
const PAGE = 20;
const SESSIONS = 1_000;
const MEASURED_MS = 3_000;
const CALLERS = [1, 32];

const schema = new mongoose.Schema({ owner: String, session: String, position: Number, text: String, at: Date });
schema.index({ session: 1, position: -1 });

const sample = (n: number) => ({
  owner: `usr_${n % 50}`,
  session: `ses_${n % SESSIONS}`,
  position: Math.floor(n / SESSIONS),
  text: 'words of a message '.repeat(12),
  at: new Date(),
});

/** Compares the document store through mongoose with bare SQLite inserts in commits of the same size. */
export async function store(): Promise<void> {
  heading(`The document store through mongoose, ${DOCUMENTS.toLocaleString('en')} documents of 0.4 KB, two indexes`);
  const server = await startStore();
  const connection = await mongoose.createConnection(server.uri, { maxPoolSize: 32 }).asPromise();
  try {
    const model = connection.model('Message', schema);
    await model.init();
    const startedAt = performance.now();
    for (let n = 0; n < DOCUMENTS; n += BATCH) {
      await model.insertMany(Array.from({ length: BATCH }, (_, at) => sample(n + at)));
    }
    const inserted = (DOCUMENTS / (performance.now() - startedAt)) * 1_000;
    report(`insertMany of ${BATCH.toLocaleString('en')}, documents per second`, thousands(inserted), 'aim 17,000');

    const ids = (await model.find({}, { _id: 1 }).lean()).map(({ _id }) => _id);
    const anId = () => ids[Math.floor(Math.random() * ids.length)];
    let next = DOCUMENTS;
    const works: [string, string, () => Promise<unknown>][] = [
      ['create', 'aim 2,500', () => model.create(sample(next++))],
      ['findById', 'aim 4,800', () => model.findById(anId())],
      [`page of ${PAGE} by an index`, '', () => model.find(aSession()).sort({ position: -1 }).limit(PAGE).lean()],
      ['updateOne', '', () => model.updateOne({ _id: anId() }, { $set: { at: new Date() }, $inc: { position: 1 } })],
    ];
    for (const [name, aim, work] of works) {
      for (const callers of CALLERS) {
        const before = cpuMicroseconds(server.pid);
        const { rate, calls } = await measure(callers, work);
        const cpu = (cpuMicroseconds(server.pid) - before) / calls;
        const prefix = callers > 1 && aim ? `${aim}; ` : '';
        const what = `${name}, ${callers} caller${callers > 1 ? 's' : ''}, per second`;
        report(what, thousands(rate), `${prefix}server's CPU: ${cpu.toFixed(0)} µs each`);
        if (name !== 'create') continue;
        const bare = await bareInserts(callers);
        report(
          `  bare SQLite, ${callers} per commit, per second; ratio`,
          `${thousands(bare)}; ${(rate / bare).toFixed(2)}`,
        );
      }
    }
  } finally {
    await connection.close();
    await server.stop();
  }
}

const thousands = (rate: number) => Math.round(rate).toLocaleString('en');

const aSession = () => ({ session: `ses_${Math.floor(Math.random() * SESSIONS)}` });

/** Returns how often per second `callers` concurrent loops run `work`. */
async function measure(callers: number, work: () => Promise<unknown>): Promise<{ rate: number; calls: number }> {
  let done = 0;
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: callers }, async () => {
      for (; performance.now() - startedAt < MEASURED_MS; done += 1) await work();
    }),
  );
  return { rate: (done / (performance.now() - startedAt)) * 1_000, calls: done };
}

function cpuMicroseconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10_000; // ticks of 10 ms
}

/**
 * Returns inserts per second of a document with two index entries, `inserts` per durable commit: the limit of
 * SQLite and the disk.
 */
async function bareInserts(inserts: number): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'chorus-bench-'));
  const database = new DatabaseSync(join(folder, 'bare.sqlite'));
  database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  database.exec('CREATE TABLE documents (record INTEGER PRIMARY KEY, body BLOB)');
  for (const name of ['ids', 'sessions']) {
    database.exec(`CREATE TABLE ${name} (key BLOB, record INTEGER, PRIMARY KEY (key, record)) WITHOUT ROWID`);
  }
  const statements = ['documents (body, record)', 'ids', 'sessions'].map((into) =>
    database.prepare(`INSERT INTO ${into} VALUES (?, ?)`),
  );
  const body = Buffer.alloc(400, 'x');
  const key = Buffer.alloc(24);
  let record = 0;
  const startedAt = performance.now();
  while (performance.now() - startedAt < MEASURED_MS) {
    database.exec('BEGIN IMMEDIATE');
    for (let at = 0; at < inserts; at += 1) {
      record += 1;
      key.writeUInt32LE(record, 20);
      statements.forEach((statement, which) => {
        statement.run(which === 0 ? body : key, record);
      });
    }
    database.exec('COMMIT');
  }
  const rate = (record / (performance.now() - startedAt)) * 1_000;
  database.close();
  rmSync(folder, { recursive: true, force: true });
  return rate;
}
