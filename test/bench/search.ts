import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@chorus/runtime/log';
import { type ChunkTable, openSearch, type Search } from '@chorus/search';
import { heading, percentile, report } from './report.ts';
import { Corpus, LARGE_OWNER, smallOwner } from './search/corpus.ts';

const CHUNKS = 100_000;
const DOCUMENT_CHUNKS = 250;
const DIMENSIONS = 512;
const SEARCHES = 200;
const LIMIT = 10;

/** Warm-up questions of other owners. */
const WARM_UP = 25;

/** Measures speed, recall, and memory of search among 100,000 chunks of many owners. */
export async function search(): Promise<void> {
  heading(
    `${CHUNKS.toLocaleString('en')} chunks, vectors of ${DIMENSIONS} dimensions, of 75 owners with 1% each and one with 25%`,
  );
  const [load] = loadavg();
  report('machine load before (processes)', (load ?? 0).toFixed(1), 'valid below 0.5');
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
  const startedAt = performance.now();
  await index.maintain({ signal: new AbortController().signal });
  report('building the indexes in a separate process (s)', seconds(startedAt));

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
      .slice(0, WARM_UP)
      .map(({ scopeKey }) => scopeKey),
  );
  // Loads shared data into memory, and these owners' data.
  await time(newQuestions().slice(0, WARM_UP), ask(0.2));
  const first = newQuestions().filter(({ scopeKey }) => !known.has(scopeKey) && known.add(scopeKey));
  reportTimes('hybrid, an owner with 1%, first question', await time(first, ask(0.2)));
  reportTimes('  any other', await time(newQuestions(), ask(0.2)), 'aim: p95 under 15');
  reportTimes('  40 results, as for answers', await time(newQuestions(), ask(0.2, { limit: 40 })));
  reportTimes('  with a tag filter', await time(newQuestions(), ask(0.2, { tags: ['tag-1', 'tag-2'] })));
  await time(questions, ask(0.2));
  reportTimes('  a repeated question', await time(questions, ask(0.2)));
  reportTimes('words alone', await time(newQuestions(), ask(0, { vector: undefined })));
  reportTimes('vectors alone', await time(newQuestions(), ask(1, { text: undefined })));
  const ofLarge = () => newQuestions().map((one) => ({ ...one, scopeKey: LARGE_OWNER }));
  const large = ofLarge();
  await time(large, ask(0.2));
  reportTimes('hybrid, the owner with 25%', await time(ofLarge(), ask(0.2)), 'aim: p95 under 15');
  report('memory used by searching (MB)', ((process.memoryUsage.rss() - memory) / 1e6).toFixed(0));
  const nearest = `recall of the ${LIMIT} nearest compared with an exact scan`;
  report(`${nearest}, 1%`, (await recall(questions, vectors, table)).toFixed(3), 'aim at least .95');
  report(`${nearest}, 25%`, (await recall(large, vectors, table)).toFixed(3), 'aim at least .95');

  const replaced = performance.now();
  for (let entry = 0; entry < 20; entry += 1) {
    const { scope, id, rows } = corpus.entry(entry, DOCUMENT_CHUNKS);
    await table.replace(scope, id, rows);
  }
  report(`replacing a document of ${DOCUMENT_CHUNKS} chunks (ms)`, ((performance.now() - replaced) / 20).toFixed(0));
  reportTimes('hybrid, 5,000 chunks not indexed yet', await time(newQuestions(), ask(0.2)));
}

/** Writes the chunks and returns each owner's vectors by chunk id. */
async function fill(table: ChunkTable, corpus: Corpus): Promise<Map<string, Map<string, Float32Array>>> {
  const vectors = new Map<string, Map<string, Float32Array>>();
  let writing = 0;
  for (let entry = 0; entry < CHUNKS / DOCUMENT_CHUNKS; entry += 1) {
    const { scope, id, rows } = corpus.entry(entry, DOCUMENT_CHUNKS);
    const owned = vectors.get(scope) ?? new Map<string, Float32Array>();
    for (const row of rows) if (row.vector) owned.set(row.id, row.vector);
    vectors.set(scope, owned);
    const startedAt = performance.now();
    await table.replace(scope, id, rows);
    writing += performance.now() - startedAt;
  }
  report('chunks written per second, one process', (CHUNKS / (writing / 1_000)).toFixed(0));
  return vectors;
}

interface Times {
  each: number[];
  /** CPU milliseconds per question, hardly affected by other load. */
  computing: number;
}

async function time<Q>(questions: readonly Q[], ask: (question: Q) => Promise<unknown>): Promise<Times> {
  const each: number[] = [];
  const before = process.cpuUsage();
  for (const question of questions) {
    const startedAt = performance.now();
    await ask(question);
    each.push(performance.now() - startedAt);
  }
  const { user, system } = process.cpuUsage(before);
  return { each, computing: (user + system) / 1_000 / questions.length };
}

function reportTimes(what: string, { each, computing }: Times, aim = ''): void {
  const figures = [percentile(each, 0.5), percentile(each, 0.95), computing].map((figure) => figure.toFixed(1));
  report(`${what} (ms: p50, p95, CPU)`, figures.join(' '), aim);
}

/** Returns the fraction of the true nearest neighbors that is found. */
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
  // The question's norm is the same for all chunks.
  return dot / Math.sqrt(squares);
}

const seconds = (startedAt: number): string => ((performance.now() - startedAt) / 1_000).toFixed(1);
