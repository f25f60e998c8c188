import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@chorus/runtime/log';
import { openSearch } from '@chorus/search';
import type { BenchPlatform } from './platform.ts';
import { heading, percentile, report } from './report.ts';
import { readQuestionSet } from './retrieval/question-set.ts';

const ENTRIES = 2_000;
const FILES_PER_UPLOAD = 50;
const UPLOADING = 4;
const WARM_UP = 40;
const QUESTIONS = 200;
const AT_ONCE = 10;
const SPACE = { model: 'embedded/use-lite', dimensions: 512 };

/**
 * Measures searches and questions over HTTP in a scope of 2,000 entries, against the bare index and an
 * execution that does almost nothing.
 */
export async function searchOverHttp(platform: BenchPlatform): Promise<void> {
  heading(`Search over HTTP, ${ENTRIES.toLocaleString('en')} entries, ${availableParallelism()} cores (ms)`);
  const { passages, questions } = await readQuestionSet();
  await fill(
    platform,
    passages.map(({ text }) => text),
  );
  const asked = Array.from(
    { length: WARM_UP + QUESTIONS },
    (_, at) => questions[at % questions.length]!.question + (at < questions.length ? '' : ` (${at})`),
  );
  const [warmUp, all] = [asked.slice(0, WARM_UP), asked.slice(WARM_UP)];
  const search = (query: string) => call(platform, '/console/knowledge/search', { query });
  const ask = (question: string) => call(platform, '/console/knowledge/ask', { question, model: 'embedded/assistant' });
  const chat = () =>
    call(platform, '/chat/completions', { model: 'embedded/assistant', messages: [{ role: 'user', content: 'hi' }] });

  reportTimes('first search', await time(warmUp.slice(0, 1), search));
  await time(warmUp, search);
  reportTimes('search', await time(all, search), 'aim: 15 30');
  reportTimes(`search, ${AT_ONCE} at once`, await time(all, search, AT_ONCE));
  await time(warmUp, ask);
  reportTimes('ask, quoting', await time(all, ask));
  await time(warmUp, chat);
  reportTimes('an execution without search', await time(all, chat));
  const writing = write(platform);
  reportTimes('search while 100 entries are added', await time(all, search));
  await writing;
  await bare(platform, warmUp, all);
}

/** Searches the index in this process, with precomputed vectors. */
async function bare({ dataDir }: BenchPlatform, warmUp: string[], all: string[]): Promise<void> {
  const index = openSearch({
    location: join(dataDir, 'index'),
    log: createLogger({ name: 'bench', level: 'warn' }),
  });
  try {
    const [name = ''] = await index.spaces();
    const table = await index.chunks({ name, dimensions: SPACE.dimensions });
    const { value } = await table.scan()[Symbol.asyncIterator]().next();
    const find = (text: string) =>
      table.find({
        scopeKey: value?.scope_key ?? '',
        text,
        vector: Float32Array.from({ length: SPACE.dimensions }, () => Math.random() - 0.5),
        limit: 40,
        weight: 0.2,
      });
    reportTimes('the index alone, first', await time(warmUp.slice(0, 1), find));
    await time(warmUp, find);
    reportTimes('the index alone', await time(all, find));
  } finally {
    index.close();
  }
}

/** Adds the missing entries, and waits for all. */
async function fill(platform: BenchPlatform, passages: string[]): Promise<void> {
  const { total } = await counts(platform);
  const texts = Array.from({ length: Math.max(0, ENTRIES - total) }, (_, at) => {
    const words = passages[at % passages.length]!.split(' ');
    const turned = at % words.length;
    return [...words.slice(turned), ...words.slice(0, turned), `No. ${at}`].join(' ');
  });
  const startedAt = performance.now();
  await add(platform, texts);
  if (texts.length > 0)
    report('entries added per second', (texts.length / ((performance.now() - startedAt) / 1_000)).toFixed(1));
}

const write = (platform: BenchPlatform) =>
  add(
    platform,
    Array.from({ length: 100 }, (_, at) => `A note of ${Date.now()}, number ${at}. It changes the index.`),
  );

async function add(platform: BenchPlatform, texts: string[]): Promise<void> {
  const uploads = Array.from({ length: Math.ceil(texts.length / FILES_PER_UPLOAD) }, (_, at) =>
    texts.slice(at * FILES_PER_UPLOAD, (at + 1) * FILES_PER_UPLOAD),
  );
  const { 'content-type': _, ...headers } = platform.headers;
  await Promise.all(
    Array.from({ length: UPLOADING }, async () => {
      for (let texts = uploads.shift(); texts !== undefined; texts = uploads.shift()) {
        const form = new FormData();
        for (const [at, text] of texts.entries()) form.append('file', new Blob([text]), `passage-${at}.txt`);
        const body = { method: 'POST', headers, body: form };
        const response = await fetch(`${platform.api}/console/knowledge/upload`, body);
        if (!response.ok) throw new Error(`upload: ${response.status} ${await response.text()}`);
        await response.body?.cancel();
      }
    }),
  );
  while ((await counts(platform)).processing > 0) await new Promise((resolve) => setTimeout(resolve, 500));
}

async function counts({ api, headers }: BenchPlatform): Promise<{ total: number; processing: number }> {
  const response = await fetch(`${api}/console/knowledge?limit=1`, { headers });
  return ((await response.json()) as { counts: { total: number; processing: number } }).counts;
}

async function call({ api, headers }: BenchPlatform, path: string, body: object): Promise<void> {
  const response = await fetch(`${api}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const answer = (await response.json()) as { status?: string };
  if (answer.status !== 'succeeded') throw new Error(`${path}: ${response.status} ${JSON.stringify(answer)}`);
}

async function time<T>(all: readonly T[], run: (one: T) => Promise<unknown>, atOnce = 1): Promise<number[]> {
  const left = [...all];
  const each: number[] = [];
  const caller = async () => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) {
      const startedAt = performance.now();
      await run(one);
      each.push(performance.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, caller));
  return each;
}

function reportTimes(what: string, each: number[], aim = ''): void {
  const figures = [percentile(each, 0.5), percentile(each, 0.95)].map((figure) => figure.toFixed(1));
  report(each.length === 1 ? what : `${what}: p50, p95`, each.length === 1 ? figures[0]! : figures.join(' '), aim);
}
