import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { type AssetStore, createAssets } from '@chorus/assets';
import { type Blobs, createBlobs } from '@chorus/blobs';
import {
  ChorusError,
  type IrisOcrInput,
  newId,
  type OcrItem,
  type OcrPage,
  type Owner,
  type RunningEvent,
} from '@chorus/contract';
import { connectDatabase, type Database } from '@chorus/database';
import { createOcr, type Ocr, type ReadOptions } from '@chorus/ocr';
import { createOutbound } from '@chorus/outbound';
import type { Providers } from '@chorus/providers';
import { createLogger } from '@chorus/runtime/log';
import { noDecisions, sharedStore, type TestDatabases, writePdf } from '@chorus/testing';
import type { JobContext, JobResult } from '@chorus/worker-kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { irisOcr, type OcrParts } from './iris-ocr.ts';

const log = createLogger({ name: 'test', level: 'silent' });
const owner: Owner = { scope: 'personal', user_id: newId('user'), workspace_id: null };

let store: TestDatabases;
let folder: string;
let database: Database;
let blobs: Blobs;
let assets: AssetStore;
let ocr: Ocr;
let parts: OcrParts;
let pdf: string;

beforeAll(async () => {
  [store, folder] = await Promise.all([sharedStore(), mkdtemp(join(tmpdir(), 'chorus-vision-'))]);
  database = await connectDatabase({ uri: store.uri, log });
  blobs = createBlobs({ kind: 'files', folder }, log);
  assets = createAssets({ database, blobs, log });
  ocr = createOcr({ processes: 1, log });
  parts = { assets, outbound: createOutbound({ allow: [] }), maxBytes: 10_000_000, ocr, providers: noProviders };
  const page = (words: string) => ({ marks: [{ text: words, x: 60, y: 60, size: 12 }] });
  const body = writePdf([page('The first page'), { marks: [] }, page('The last page')]);
  pdf = (await assets.create({ owner, body, filename: 'report.pdf' })).id;
});
afterAll(async () => {
  await ocr.close();
  blobs.close();
  await database.close();
  await Promise.all([store.stop(), rm(folder, { recursive: true, force: true })]);
});

const noProviders: Pick<Providers, 'streamChat'> = {
  streamChat: () => {
    throw new Error('no model is called');
  },
};

/** Returns a page with one word. */
const pageOf = (number: number): OcrPage => {
  const box = { x: 1, y: 2, width: 30, height: 4 };
  const text = `Wörter ${number}`;
  const words = [{ text, box, confidence: 0.9 }];
  const lines = [{ text, box, confidence: 0.9, words }];
  return {
    number,
    width: 600,
    height: 800,
    rotation: 0,
    source: 'image',
    text,
    markdown: `# ${text}`,
    confidence: 0.9,
    lines,
  };
};

const installed: Ocr['engine'] = async () => ({ name: 'tesseract.js', version: '7', languages: ['eng'] });

/** An engine that reads `count` pages and waits at `until`. */
function engineOf(count: number, until: () => void = () => {}) {
  const asked: ReadOptions[] = [];
  const engine: OcrParts['ocr'] = {
    async *read(_source, _type, options = {}) {
      asked.push(options);
      const pages = Array.from({ length: count }, (_, index) => index + 1);
      options.onOpen?.({ pageCount: count + 500, pages, pagesLeft: `${count + 1}-${count + 500}` });
      for (const number of pages.filter((one) => one > (options.after ?? 0))) yield pageOf(number);
      until();
      options.signal?.throwIfAborted();
    },
    engine: installed,
  };
  return { ocr: engine, asked };
}

interface Attempt {
  input?: Partial<IrisOcrInput>;
  with?: Partial<OcrParts>;
  executionId?: string;
  /** State left by an earlier attempt. */
  left?: unknown;
  signal?: AbortSignal;
  /** Whether another job always waits for the slot. */
  isWanted?: boolean;
}

function attempt({
  input,
  with: own,
  executionId = newId('job'),
  left = null,
  signal,
  isWanted = false,
}: Attempt = {}) {
  const stopping = new AbortController();
  const events: RunningEvent[] = [];
  const noted: Record<string, unknown> = {};
  let saved = left;
  const context: JobContext<'iris.ocr'> = {
    input: {
      model: 'embedded/ocr',
      source: { type: 'asset', asset_id: pdf },
      languages: ['eng'],
      pages: null,
      ...input,
    },
    owner,
    executionId,
    caller: { executionId, user: owner.user_id, isBatch: false },
    attempt: 1,
    signal: signal ?? stopping.signal,
    log,
    emit: (event) => {
      events.push(event);
      return undefined;
    },
    note: (known) => Object.assign(noted, known),
    checkpoint: {
      get value() {
        return saved;
      },
      save: async (value) => {
        saved = JSON.parse(JSON.stringify(value));
      },
    },
    decisions: noDecisions,
    place: {
      isWanted: async () => isWanted,
      giveBack: () => {
        stopping.abort(new Error('yielded its slot'));
        throw stopping.signal.reason;
      },
    },
    output: () => [],
  };
  const running = irisOcr({ ...parts, ...own }).run(context);
  running.catch(() => undefined);
  return { running, events, noted, saved: () => saved };
}

const shownIn = (events: RunningEvent[]) =>
  events.map((event) => (event.type === 'text.delta' ? event.delta : '')).join('');
const itemOf = ({ output }: JobResult) => output[1] as OcrItem;
const keys = async () => (await blobs.list()).blobs.map(({ key }) => key);

test('shows pages and progress while reading, and includes small results in the output', async () => {
  const { running, events, noted } = attempt();
  const result = await running;
  const maker = { model: 'embedded/ocr', provider: 'embedded' };
  expect(result).toMatchObject({
    ...maker,
    warnings: [],
    output: [{ type: 'text', text: 'The first page\n\nThe last page' }, {}],
  });
  expect(noted).toEqual(maker);
  expect(events).toEqual([
    { type: 'progress', progress: { completed: 0, total: 1, stage: 'fetching' } },
    { type: 'progress', progress: { completed: 0, total: 3, stage: 'reading' } },
    { type: 'text.delta', index: 0, delta: 'The first page' },
    { type: 'progress', progress: { completed: 1, total: 3, stage: 'reading' } },
    { type: 'progress', progress: { completed: 2, total: 3, stage: 'reading' } },
    { type: 'text.delta', index: 0, delta: '\n\nThe last page' },
    { type: 'progress', progress: { completed: 3, total: 3, stage: 'reading' } },
  ]);
  const facts = { page_count: 3, pages_left: null, languages: ['eng'], truncated: false, asset: null };
  expect(itemOf(result)).toMatchObject({ type: 'ocr', markdown: 'The first page\n\nThe last page', ...facts });
  expect(itemOf(result).pages.map(({ source, lines }) => [source, lines?.length])).toEqual([
    ['text_layer', 1],
    ['image', 0],
    ['text_layer', 1],
  ]);
});

test('yields its slot between pages, and resumes in the next attempt', async () => {
  const before = await keys();
  const first = attempt({ isWanted: true });
  await expect(first.running).rejects.toThrow('yielded its slot');
  expect(shownIn(first.events)).toBe('The first page');
  const second = attempt({ left: first.saved(), isWanted: true });
  await expect(second.running).rejects.toThrow('yielded its slot');
  const third = attempt({ left: second.saved(), isWanted: true });
  expect((await third.running).output[0]).toEqual({ type: 'text', text: 'The first page\n\nThe last page' });
  expect(shownIn(third.events)).toBe('The first page\n\nThe last page');
  expect(await keys()).toEqual(before);
});

describe('pages that cannot be read', () => {
  const error = new ChorusError('timeout', 'It took too long.');
  const without = (...lost: number[]): OcrParts['ocr'] => ({
    async *read(_source, _type, { onOpen, onFailure, after = 0 } = {}) {
      onOpen?.({ pageCount: 4, pages: [1, 2, 3, 4], pagesLeft: null });
      for (const page of [1, 2, 3, 4].filter((one) => one > after))
        if (lost.includes(page)) onFailure?.({ page, error, hasTextLayer: false });
        else yield pageOf(page);
    },
    engine: installed,
  });

  test('are named in a warning beside the pages that were read', async () => {
    const result = await attempt({ with: { ocr: without(2, 4) } }).running;
    expect(itemOf(result).pages.map(({ number }) => number)).toEqual([1, 3]);
    expect(result.warnings).toEqual(['Pages 2, 4 could not be read. It took too long.']);
  });

  test('are named if their text is doubtful', async () => {
    const ocr: OcrParts['ocr'] = {
      ...without(),
      async *read(_source, _type, { onOpen } = {}) {
        onOpen?.({ pageCount: 3, pages: [1, 2, 3], pagesLeft: null });
        yield pageOf(1);
        yield { ...pageOf(2), confidence: 0.42 };
        yield { ...pageOf(3), confidence: 0.3, script: 'Han' };
      },
    };
    const { warnings = [] } = await attempt({ with: { ocr } }).running;
    expect(warnings).toEqual([
      expect.stringContaining('page 2 (0.42)'),
      expect.stringContaining('Page 3: the text seems to be in Han'),
    ]);
  });

  test('are named after a takeover too', async () => {
    const first = attempt({ with: { ocr: without(2) }, isWanted: true });
    await expect(first.running).rejects.toThrow('yielded its slot');
    const second = attempt({ with: { ocr: without(2) }, left: first.saved(), isWanted: true });
    await expect(second.running).rejects.toThrow('yielded its slot');
    const third = attempt({ with: { ocr: without(2) }, left: second.saved() });
    expect((await third.running).warnings).toEqual(['Page 2 could not be read.']);
  });

  test('fail the execution if there is no other page', async () => {
    await expect(attempt({ with: { ocr: without(1, 2, 3, 4) } }).running).rejects.toBe(error);
  });
});

test("fails with the reader's message for a bad file", async () => {
  const words = (await assets.create({ owner, body: Buffer.from('just words'), filename: null })).id;
  const { running } = attempt({ input: { source: { type: 'asset', asset_id: words } } });
  await expect(running).rejects.toMatchObject({ code: 'unsupported_media_type' });
  const foreign = attempt({ input: { languages: ['tlh'] } });
  await expect(foreign.running).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining('tlh'),
  });
});

test('stores large results in an asset and reports what the output omits', async () => {
  const room = { text: 35, pages: 500, lines: 10_000 };
  const executionId = newId('job');
  const { running, events } = attempt({ with: { ocr: engineOf(9).ocr, room }, executionId });
  const result = await running;
  const text = 'Wörter 1\n\nWörter 2\n\nWörter 3\n\nW'; // 34 bytes, because characters are not split
  expect(result.output[0]).toEqual({ type: 'text', text: shownIn(events) });
  expect(shownIn(events)).toBe(text);
  const item = itemOf(result);
  expect(item).toMatchObject({ truncated: true, page_count: 509, pages_left: '10-509' });
  expect(item.pages.map(({ number, lines }) => [number, lines])).toEqual([
    [1, null],
    [2, null],
    [3, null],
  ]);
  expect(item.asset).toMatchObject({ kind: 'document', filename: 'report-ocr.json', execution_id: executionId });
  const record = await assets.get(owner, item.asset?.id ?? '');
  const whole = await json(await assets.read(record ?? { id: '' }));
  expect(whole).toEqual({
    page_count: 509,
    pages_left: '10-509',
    languages: ['eng'],
    pages: Array.from({ length: 9 }, (_, index) => pageOf(index + 1)),
  });
  expect(result.warnings).toEqual([
    'The text is truncated after 35 bytes.',
    'Not all pages were read at once. Remaining pages: 10-509.',
  ]);
});

test('moves all lines to the asset when they do not fit', async () => {
  const room = { text: 1_000, pages: 10_000, lines: 200 };
  const item = itemOf(await attempt({ with: { ocr: engineOf(3).ocr, room } }).running);
  expect(item.truncated).toBe(true);
  expect(item.pages.map(({ text, lines }) => [text, lines])).toEqual(
    [1, 2, 3].map((number) => [`Wörter ${number}`, null]),
  );
  const all = itemOf(await attempt({ with: { ocr: engineOf(3).ocr } }).running);
  expect(all).toMatchObject({ truncated: false, pages: [pageOf(1), pageOf(2), pageOf(3)] });
});

test('resumes after stored pages and deletes them at the end', async () => {
  const before = await keys();
  const controller = new AbortController();
  const first = engineOf(5, () => controller.abort(new Error('the worker stops')));
  const keepAfter = { pages: 2, ms: 0 };
  const stopped = attempt({ with: { ocr: first.ocr, keepAfter }, signal: controller.signal });
  await expect(stopped.running).rejects.toThrow('the worker stops');
  expect(await keys()).toHaveLength(before.length + 2); // two pages each

  const second = engineOf(5);
  const { running, events } = attempt({ with: { ocr: second.ocr, keepAfter }, left: stopped.saved() });
  const result = await running;
  expect(second.asked[0]?.after).toBe(4);
  expect(itemOf(result).pages).toEqual([1, 2, 3, 4, 5].map(pageOf));
  expect(result.output[0]).toEqual({ type: 'text', text: shownIn(events) });
  expect(shownIn(events)).toBe('Wörter 1\n\nWörter 2\n\nWörter 3\n\nWörter 4\n\nWörter 5');
  expect(await keys()).toEqual(before);

  const third = engineOf(5);
  const rerun = await attempt({ with: { ocr: third.ocr }, left: stopped.saved() }).running;
  expect(third.asked[0]?.after).toBe(0); // stored pages are gone, so all are read again
  expect(itemOf(rerun).pages).toHaveLength(5);
});

test('has a vision model transcribe the pages', async () => {
  const asked: Parameters<Providers['streamChat']>[0][] = [];
  const parts = { cached_input_tokens: 4, reasoning_tokens: 3, audio_input_tokens: 2, estimated: true };
  const answers = ['```markdown\n## A *page*\n\n| a | b |\n|---|---|\n| 1 | 2 |\n```', '[no text]'];
  const providers: Pick<Providers, 'streamChat'> = {
    async *streamChat(call) {
      asked.push(call);
      yield { type: 'text', text: answers[asked.length - 1] ?? '' };
      const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15, cost_usd: 0.25, ...parts };
      yield { type: 'finish', finish_reason: asked.length === 2 ? 'length' : 'stop', usage };
    },
  };
  const seen: OcrParts['ocr'] = {
    engine: installed,
    async *read(_source, _type, { transcribe, onOpen, signal = new AbortController().signal } = {}) {
      onOpen?.({ pageCount: 2, pages: [1, 2], pagesLeft: null });
      for (const number of [1, 2]) {
        const read = await transcribe?.({ number, mimeType: 'image/jpeg', bytes: Buffer.from('jpeg') }, signal);
        if (read) yield { ...pageOf(number), lines: null, confidence: null, ...read };
      }
    },
  };
  const { running, noted } = attempt({ input: { model: 'openai/gpt-5' }, with: { ocr: seen, providers } });
  const result = await running;
  expect(asked[0]).toMatchObject({ model: 'openai/gpt-5', settings: {} });
  expect(asked[0]?.messages[1]?.content).toContainEqual({
    type: 'image_url',
    image_url: { url: `data:image/jpeg;base64,${Buffer.from('jpeg').toString('base64')}` },
  });
  expect(itemOf(result)).toMatchObject({
    markdown: '## A *page*\n\n| a | b |\n|---|---|\n| 1 | 2 |',
    truncated: false,
  });
  const usage = {
    ...{ input_tokens: 20, output_tokens: 10, total_tokens: 30, cost_usd: 0.5 },
    ...{ cached_input_tokens: 8, reasoning_tokens: 6, audio_input_tokens: 4, estimated: true },
  };
  expect(result).toMatchObject({ output: [{ text: 'A page\n\na\tb\n1\t2' }, {}], usage, provider: 'openai' });
  expect(noted).toEqual({ model: 'openai/gpt-5', provider: 'openai', usage });
  expect(result.warnings).toEqual(['The model did not transcribe all of page 2.']);
});
