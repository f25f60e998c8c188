import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProviders } from '@chorus/providers';
import { loadConfig } from '@chorus/runtime/config';
import { createLogger } from '@chorus/runtime/log';
import { openSearch } from '@chorus/search';
import { newcomer } from './fairness-documents.ts';
import type { BenchPlatform } from './platform.ts';
import { heading, median, report } from './report.ts';
import { readQuestionSet } from './retrieval/question-set.ts';

const ROUNDS = 3;
const ENTRIES = 600;
const WORDS = 100;
/** Sent while the bulk is ingested. */
const SINGLES = 3;
/** As many as the encoder computes at once, and as an efficient program would send. */
const TEXTS_PER_CALL = 8;
const ROWS_PER_COMMIT = 64;
const MODEL = 'embedded/use-lite';
const STORES = { REDIS_URL: 'redis://127.0.0.1', MONGODB_URI: 'mongodb://127.0.0.1' };

/**
 * Compares the ingestion of many short texts, as a batch and as single requests, with a bare loop of embedding and
 * indexing them, in turn. Meanwhile, uploads single texts by the same user and by another one.
 */
export async function shortTexts(platform: BenchPlatform): Promise<void> {
  const other = { ...platform, headers: await newcomer(platform) };
  heading(`${ENTRIES} entries of ${WORDS} words (${ROUNDS} rounds in turn)`);
  const textsOf = await textSource();
  await bareRate(textsOf('warm', 32));
  await batchRate(platform, textsOf('warm', 32));
  const [bares, batches, requests, ready, foreign]: number[][] = [[], [], [], [], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    bares?.push(await bareRate(textsOf(`bare ${round}`, ENTRIES)));
    const singles = async () => {
      for (let number = 0; number < SINGLES; number += 1) {
        ready?.push(await readyMs(platform, `A single text ${number} of round ${round}.`));
        foreign?.push(await readyMs(other, `A text of another user, ${number} of round ${round}.`));
      }
    };
    batches?.push(await batchRate(platform, textsOf(`batch ${round}`, ENTRIES), singles));
    requests?.push(await requestRate(platform, textsOf(`request ${round}`, ENTRIES)));
  }
  const ratios = (batches ?? []).map((rate, round) => rate / (bares?.[round] ?? Number.NaN));
  report('bare embedding and indexing (entries/s, median)', median(bares ?? []).toFixed(1));
  report('as a batch, to searchable (entries/s, median)', median(batches ?? []).toFixed(1), 'aim 40 or more');
  report('ratio of the batch (median of the rounds)', median(ratios).toFixed(2), 'aim 0.8');
  report('as single requests (entries/s, median)', median(requests ?? []).toFixed(1));
  report('single text beside the batch, to ready (ms, median)', median(ready ?? []).toFixed(0), 'aim under 3,000');
  report('the same of another user (ms, median)', median(foreign ?? []).toFixed(0), 'aim under 3,000');
}

async function textSource(): Promise<(name: string, count: number) => string[]> {
  const { passages } = await readQuestionSet();
  const words = passages
    .map(({ text }) => text)
    .join(' ')
    .split(/\s+/);
  let at = 0;
  return (name, count) =>
    Array.from({ length: count }, (_, number) => {
      at += WORDS;
      const own = Array.from({ length: WORDS }, (_, word) => words[(at + word) % words.length]);
      return `Note ${number} of ${name}: ${own.join(' ')}`;
    });
}

async function bareRate(texts: readonly string[]): Promise<number> {
  const log = createLogger({ name: 'bench', level: 'warn' });
  const folder = await mkdtemp(join(tmpdir(), 'chorus-bench-texts-'));
  const providers = createProviders(loadConfig(STORES).providers, { log });
  const search = openSearch({ location: join(folder, 'index'), log });
  const { signal } = new AbortController();
  const embed = (some: readonly string[]) =>
    providers.embedTexts({ model: MODEL, texts: some, purpose: 'document' }, { signal, executionId: 'bench' });
  try {
    const { dimensions } = await embed(['warm']);
    const table = await search.chunks({ name: 'bench', dimensions });
    const startedAt = performance.now();
    let writing: Promise<unknown> = Promise.resolve();
    for (let from = 0; from < texts.length; from += ROWS_PER_COMMIT) {
      const part = texts.slice(from, from + ROWS_PER_COMMIT);
      const vectors: Float32Array[] = [];
      for (let start = 0; start < part.length; start += TEXTS_PER_CALL)
        vectors.push(...(await embed(part.slice(start, start + TEXTS_PER_CALL))).vectors);
      await writing;
      writing = Promise.all(
        part.map((text, index) => {
          const entry = `kno_${from + index}`;
          const place = { id: `${entry}:1:0`, scope_key: 'personal:bench', entry_id: entry, revision: 1, position: 0 };
          const row = { ...place, tags: [], title: text.slice(0, 60), text, heading_path: [], page: null };
          return table.replace('personal:bench', entry, [{ ...row, vector: vectors[index] as Float32Array }]);
        }),
      );
    }
    await writing;
    return texts.length / seconds(startedAt);
  } finally {
    providers.close();
    search.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function batchRate(
  platform: BenchPlatform,
  texts: readonly string[],
  meanwhile = async () => {},
): Promise<number> {
  const startedAt = performance.now();
  const items = texts.map((content) => ({ body: { content } }));
  const { id } = await post(platform, '/batches', { kind: 'knowledge.ingest', items });
  const response = await fetch(`${platform.api}/batches/${id}/events`, { headers: platform.headers });
  const following = response.text().then((text) => ({ text, tookS: seconds(startedAt) }));
  const [{ text, tookS }] = await Promise.all([following, meanwhile()]);
  const last = text.split('\n\n').findLast((frame) => frame.startsWith('data: {'));
  const { batch } = JSON.parse(last?.slice('data: '.length) ?? '{}') as { batch: { counts: { succeeded: number } } };
  if (batch.counts.succeeded !== texts.length) throw new Error(`batch: ${JSON.stringify(batch)}`);
  return texts.length / tookS;
}

async function requestRate(platform: BenchPlatform, texts: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  const left = texts.values();
  const send = async () => {
    for (const content of left) await post(platform, '/console/knowledge', { content });
  };
  await Promise.all(Array.from({ length: 8 }, send));
  for (;;) {
    const response = await fetch(`${platform.api}/console/knowledge?limit=1`, { headers: platform.headers });
    const { counts } = (await response.json()) as { counts: { processing: number; failed: number } };
    if (counts.failed > 0) throw new Error(`entries failed: ${JSON.stringify(counts)}`);
    if (counts.processing === 0) return texts.length / seconds(startedAt);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function readyMs(platform: BenchPlatform, content: string): Promise<number> {
  const startedAt = performance.now();
  const { status } = await post(platform, '/console/knowledge', { content }, { prefer: 'wait=60' });
  if (status !== 'ready') throw new Error(`a single text is ${status}`);
  return performance.now() - startedAt;
}

async function post({ api, headers }: BenchPlatform, path: string, body: object, more: Record<string, string> = {}) {
  const response = await fetch(`${api}${path}`, {
    method: 'POST',
    headers: { ...headers, ...more },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as { id: string; status: string };
}

const seconds = (startedAt: number) => (performance.now() - startedAt) / 1_000;
