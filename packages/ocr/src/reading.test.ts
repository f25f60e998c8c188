import { ChorusError, type OcrPage } from '@chorus/contract';
import { createLogger } from '@chorus/runtime/log';
import { ChildGone, lendFile, OutOfMemory, TaskTimeout } from '@chorus/sandbox';
import { writePdf } from '@chorus/testing';
import { expect, onTestFinished, test } from 'vitest';
import { DEFAULT_LIMITS, type FailedPage } from './ocr.ts';
import { createPagePool, type PagePool } from './page-pool.ts';
import type { FileToRead, PageLayer, Task } from './page-tasks.ts';
import { Reading, type ReadingOptions } from './reading.ts';
import { scannedPage } from './test-pages.ts';
import { describeFailures } from './unreadable.ts';

const file: FileToRead = { path: '/scan.pdf', type: 'application/pdf', sizeBytes: 1_000 };
const pageOf = (number: number, text: string, source: OcrPage['source'] = 'image'): OcrPage => ({
  number,
  width: 600,
  height: 800,
  rotation: 0,
  source,
  text,
  markdown: text,
  confidence: null,
  lines: null,
});

type Failure = (task: Task, fresh: boolean) => Error | null;

/** Reads a PDF of scans with children that fail on demand. */
function readingOf(pageCount: number, failure: Failure, scores: Record<number, PageLayer['score']> = {}) {
  const tasks: string[] = [];
  const failures: FailedPage[] = [];
  const layerOf = (number: number): PageLayer => ({
    number,
    page: pageOf(number, scores[number] ? `Stamp ${number}` : '', 'text_layer'),
    score: scores[number] ?? 'nothing',
  });
  const run = async (task: Task, { fresh = false }: { fresh?: boolean }) => {
    const about = 'page' in task ? ` ${task.page}` : 'pages' in task ? ` ${task.pages.join()}` : '';
    tasks.push(`${task.type}${about}${fresh ? ', fresh' : ''}`);
    const error = failure(task, fresh);
    if (error) throw error;
    if (task.type === 'count') return pageCount;
    if (task.type === 'layers') return task.pages.map(layerOf);
    return pageOf('page' in task ? task.page : 0, 'Read');
  };
  const pool = { run: run as PagePool['run'] };
  const { signal } = new AbortController();
  const read = async (more: Partial<ReadingOptions> = {}) => {
    const onFailure = (failed: FailedPage) => void failures.push(failed);
    const options = {
      languages: ['eng'],
      vertical: { installed: [], missing: null },
      signal,
      atOnce: 1,
      onFailure,
      ...more,
    };
    const pages = await Array.fromAsync(new Reading(pool, file, options, DEFAULT_LIMITS).pages());
    return pages.map(({ number, text }) => `${number} ${text}`);
  };
  return { read, tasks, failures };
}

const isPage = (task: Task, ...pages: number[]) => 'page' in task && pages.includes(task.page);
const damaged = new ChorusError('invalid_request', 'The JPEG is damaged or cut off and cannot be decoded.');

test('reads a page again when its child is killed', async () => {
  const scan = await scannedPage({ width: 300, height: 60, marks: [{ text: 'Rabbits at home', x: 30, y: 30 }] });
  const bytes = writePdf([scan, scan]);
  const lent = await lendFile(bytes, 'file.pdf');
  const log = createLogger({ name: 'test', level: 'silent' });
  const settings = { program: null, data: null, pixels: 80_000_000 };
  const pool = createPagePool(1, log, async () => ({ settings, memoryBytes: 1_500_000_000, env: {} }));
  onTestFinished(async () => {
    pool.close();
    await lent.remove();
  });
  let killed = 0;
  const run: PagePool['run'] = (task, options) => {
    const running = pool.run(task, options);
    const [pid] = pool.pids;
    if (isPage(task, 2) && killed === 0 && pid !== undefined) killed = pid;
    if (killed === pid && isPage(task, 2)) process.kill(killed, 'SIGKILL');
    return running;
  };
  const options = {
    languages: ['eng'],
    vertical: { installed: [], missing: null },
    signal: new AbortController().signal,
    atOnce: 1,
  };
  const source: FileToRead = { path: lent.path, type: 'application/pdf', sizeBytes: bytes.length };
  const pages = await Array.fromAsync(new Reading({ run }, source, options, DEFAULT_LIMITS).pages());
  expect(pages.map(({ text }) => text)).toEqual(['Rabbits at home', 'Rabbits at home']);
  expect(killed).toBeGreaterThan(0);
  expect(pool.pids).not.toContain(killed);
});

test.each<[string, Error]>([
  ['a child that ended', new ChildGone('gone')],
  ['memory that ran out', new OutOfMemory('none left')],
  ['a timeout', new TaskTimeout(1_000)],
  ['a file that seems damaged', damaged],
  ['an engine that failed', new Error('The child failed: tesseract ended with a signal')],
])('a fresh child reads a page after %s', async (_name, error) => {
  const { read, tasks, failures } = readingOf(2, (task, fresh) => (isPage(task, 1) && !fresh ? error : null));
  expect(await read()).toEqual(['1 Read', '2 Read']);
  expect(failures).toEqual([]);
  expect(tasks).toEqual(['count', 'layers 1,2', 'recognize 1', 'recognize 1, fresh', 'recognize 2']);
});

test('leaves out pages that fresh children cannot read, and lists them', async () => {
  const failure = (task: Task) => (isPage(task, 2) ? new OutOfMemory('') : isPage(task, 3) ? damaged : null);
  const { read, failures } = readingOf(4, failure);
  expect(await read()).toEqual(['1 Read', '4 Read']);
  expect(failures).toMatchObject([
    { page: 2, error: { message: 'Page 2 cannot be read: it needs more than the 1500 MB of memory allowed.' } },
    { page: 3, error: { message: damaged.message } },
  ]);
  expect(describeFailures([2, 3], failures)).toBe(
    'Pages 2-3 could not be read. Page 2 cannot be read: it needs more than the 1500 MB of memory allowed.',
  );
  await expect(read({ onFailure: undefined })).rejects.toThrow('Page 2 cannot be read');
});

test('keeps the text layer of a page whose picture cannot be read', async () => {
  const { read, failures } = readingOf(2, (task) => (isPage(task, 1) ? damaged : null), { 1: 'part' });
  expect(await read()).toEqual(['1 Stamp 1', '2 Read']);
  expect(failures).toMatchObject([{ page: 1, hasTextLayer: true }]);
});

test('reads text layers one by one if several together cannot be read', async () => {
  const failure = (task: Task) => (task.type === 'layers' && task.pages.includes(2) ? new ChildGone('') : null);
  const { read, tasks } = readingOf(3, failure, { 1: 'whole', 3: 'whole' });
  expect(await read()).toEqual(['1 Stamp 1', '2 Read', '3 Stamp 3']);
  expect(tasks.filter((task) => !task.endsWith('fresh'))).toEqual([
    'count',
    'layers 1,2,3',
    'layers 1',
    'layers 2',
    'layers 3',
    'recognize 2',
  ]);
});

test('stops trying after many failures in a row', async () => {
  const { read, tasks, failures } = readingOf(300, (task) => ('page' in task ? damaged : null));
  expect(await read()).toEqual([]);
  expect(failures.map(({ page }) => page)).toEqual(Array.from({ length: 300 }, (_, index) => index + 1));
  expect(tasks.length).toBeLessThan(60);
});
