import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@chorus/log';
import { type ChunkTable, openSearch, type Search } from '@chorus/search';
import { heading, percentile, report } from './figures.ts';
import { Corpus, LARGE_OWNER, smallOwner } from './search/corpus.ts';

const CHUNKS = 100_000;
const OF_AN_ENTRY = 250;
const DIMENSIONS = 512;
const SEARCHES = 200;
const LIMIT = 10;

/** Questions of other owners that come before those that are measured. */
const STARTS = 25;

/** How fast, how right and how large a search among 100,000 chunks of many owners is. */
export async function search(): Promise<void> {
  heading(
    `${CHUNKS.toLocaleString('en')} chunks, vectors of ${DIMENSIONS} dimensions, of 75 owners with 1% each and one with 25%`,
  );
  const [load] = loadavg();
  report('load of the machine before (processes)', (load ?? 0).toFixed(1), 'figures are for below 0.5');
  const folder = await mkdtemp(join(tmpdir(), 'chorus-bench-search-'));
  const log = createLogger({ name: 'bench', level: 'warn' });
  const index = openSearch({ location: join(folder, 'index'), log });
  try {
    await measure(index);
  } finally {
    index.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function measure(index: Search): Promise<void> {
  const corpus = new Corpus(DIMENSIONS);
  const table = await index.chunks({ name: 'bench', dimensions: DIMENSIONS });
  const vectors = await fill(table, corpus);
  const began = performance.now();
  await index.maintain({ signal: new AbortController().signal });
  report('building the indexes, in a process of its own (s)', seconds(began));

  const memory = process.memoryUsage.rss();
  const newQuestions = () =>
    Array.from({ length: SEARCHES }, (_, at) => ({
      scopeKey: smallOwner(at),
      text: corpus.text(8),
      vector: corpus.vector(),
      limit: LIMIT,
    }));
  const questions = newQuestions();
  type Question = (typeof questions)[number];
  const ask =
    (weight: number, more: object = {}) =>
    (one: Question) =>
      table.find({ ...one, ...more, weight });
  const known = new Set(
    newQuestions()
      .slice(0, STARTS)
      .map(({ scopeKey }) => scopeKey),
  );
  // What is read by all is in memory then, and of these owners what is theirs.
  await time(newQuestions().slice(0, STARTS), ask(0.2));
  const first = newQuestions().filter(({ scopeKey }) => !known.has(scopeKey) && known.add(scopeKey));
  const [unprepared, prepared] = [first.slice(0, first.length / 2), first.slice(first.length / 2)];
  told('words and vectors, of an owner of 1%, the first question', await time(unprepared, ask(0.2)));
  for (const { scopeKey } of prepared) await table.prepare(scopeKey);
  told('  the first one, prepared while its vector was made', await time(prepared, ask(0.2)));
  told('  any other', await time(newQuestions(), ask(0.2)), 'aim: p95 under 15');
  told('  as an answer asks, for 40', await time(newQuestions(), ask(0.2, { limit: 40 })));
  told('  by tags, too', await time(newQuestions(), ask(0.2, { tags: ['tag-1', 'tag-2'] })));
  await time(questions, ask(0.2));
  told('  a question that was asked before', await time(questions, ask(0.2)));
  told('words alone', await time(newQuestions(), ask(0, { vector: undefined })));
  told('vectors alone', await time(newQuestions(), ask(1, { text: undefined })));
  const ofLarge = () => newQuestions().map((one) => ({ ...one, scopeKey: LARGE_OWNER }));
  const large = ofLarge();
  await time(large, ask(0.2));
  told('words and vectors, of the owner of 25%', await time(ofLarge(), ask(0.2)), 'aim: p95 under 15');
  report('memory that searching took (MB)', ((process.memoryUsage.rss() - memory) / 1e6).toFixed(0));
  const nearest = `recall of the ${LIMIT} nearest beside a look at each`;
  report(`${nearest}, 1%`, (await recall(questions, vectors, table)).toFixed(3), 'aim at least .95');
  report(`${nearest}, 25%`, (await recall(large, vectors, table)).toFixed(3), 'aim at least .95');

  const replaced = performance.now();
  for (let entry = 0; entry < 20; entry += 1) {
    const { scope, id, rows } = corpus.entry(entry, OF_AN_ENTRY);
    await table.replace(scope, id, rows);
  }
  report(`an entry of ${OF_AN_ENTRY} chunks replaced (ms)`, ((performance.now() - replaced) / 20).toFixed(0));
  told('words and vectors, 5,000 chunks not indexed yet', await time(newQuestions(), ask(0.2)));
}

/** Answers the vectors of each owner by their chunks' ids. */
async function fill(table: ChunkTable, corpus: Corpus): Promise<Map<string, Map<string, Float32Array>>> {
  const vectors = new Map<string, Map<string, Float32Array>>();
  let writing = 0;
  for (let entry = 0; entry < CHUNKS / OF_AN_ENTRY; entry += 1) {
    const { scope, id, rows } = corpus.entry(entry, OF_AN_ENTRY);
    const owned = vectors.get(scope) ?? new Map<string, Float32Array>();
    for (const row of rows) if (row.vector) owned.set(row.id, row.vector);
    vectors.set(scope, owned);
    const began = performance.now();
    await table.replace(scope, id, rows);
    writing += performance.now() - began;
  }
  report('chunks written a second, one process', (CHUNKS / (writing / 1_000)).toFixed(0));
  return vectors;
}

interface Times {
  /** Of each question, in milliseconds. */
  each: number[];
  /** Of a core, in milliseconds a question: what else runs hardly matters to it. */
  computing: number;
}

async function time<Q>(questions: readonly Q[], ask: (question: Q) => Promise<unknown>): Promise<Times> {
  const each: number[] = [];
  const before = process.cpuUsage();
  for (const question of questions) {
    const began = performance.now();
    await ask(question);
    each.push(performance.now() - began);
  }
  const { user, system } = process.cpuUsage(before);
  return { each, computing: (user + system) / 1_000 / questions.length };
}

function told(what: string, { each, computing }: Times, aim = ''): void {
  const figures = [percentile(each, 0.5), percentile(each, 0.95), computing].map((figure) => figure.toFixed(1));
  report(`${what} (ms: p50, p95, of a core)`, figures.join(' '), aim);
}

/** The share of the truly nearest that is found. */
async function recall(
  questions: readonly { scopeKey: string; vector: Float32Array }[],
  vectors: Map<string, Map<string, Float32Array>>,
  table: ChunkTable,
): Promise<number> {
  let found = 0;
  for (const { scopeKey, vector } of questions) {
    const distances = [...(vectors.get(scopeKey) ?? [])].map(([id, other]) => ({ id, cosine: cosine(vector, other) }));
    const nearest = distances.sort((one, other) => other.cosine - one.cosine).slice(0, LIMIT);
    const hits = new Set((await table.find({ scopeKey, vector, limit: LIMIT, weight: 1 })).map(({ id }) => id));
    found += nearest.filter(({ id }) => hits.has(id)).length;
  }
  return found / (LIMIT * questions.length);
}

function cosine(one: Float32Array, other: Float32Array): number {
  let dot = 0;
  let squares = 0;
  for (let at = 0; at < one.length; at += 1) {
    const value = other[at] ?? 0;
    dot += (one[at] ?? 0) * value;
    squares += value * value;
  }
  // The question's own length is the same for all.
  return dot / Math.sqrt(squares);
}

const seconds = (began: number): string => ((performance.now() - began) / 1_000).toFixed(1);
