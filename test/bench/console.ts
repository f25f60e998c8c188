import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core';
import { findOrInstallChromium } from '../../scripts/setup/chromium.mjs';
import { signInContext } from '../sign-in-context.ts';
import { seedRecords } from './console/many-records.ts';
import { BENCH_LOGIN, type BenchPlatform } from './platform.ts';
import { budget, heading, median, percentile, report } from './report.ts';

const SESSIONS = 10_000;
const IMAGES = 5_000;
const MESSAGES = 1_000;
const FEW = 100;
const LOADS = 7;
const KEYS = 20;
/** Pixels scrolled per frame, when flinging a list and when reading it. */
const PACES = { flung: 160, read: 20 };
/** Short lists are scrolled repeatedly until there are enough frames. */
const LEAST_FRAMES = 600;
/** Long lists are not always scrolled to their end. */
const MOST_FRAMES = { flung: 10_000, read: 1_200 };

/** Limits on what a user waits for. */
const BUDGETS = { firstPageKb: 250, readyMs: 800, frameMs: 8, keyMs: 16 };

const IN_PAGE = fileURLToPath(new URL('console/in-page.js', import.meta.url));

interface Scrolling {
  gaps: number[];
  height: number;
  /** Frames that waited for more rows to load. */
  waiting: number;
  seconds: number;
  elements: number;
}

type Kept = Awaited<ReturnType<BrowserContext['storageState']>>;

/** Measures load time and scrolling of the console in Chromium, with long lists and short ones. */
export async function consoleSpeed(platform: BenchPlatform): Promise<void> {
  heading(`The console, ${SESSIONS.toLocaleString('en')} conversations and ${IMAGES.toLocaleString('en')} images`);
  report('machine load before (processes)', (loadavg()[0] ?? 0).toFixed(1), 'valid below 0.5');
  const many = { sessions: SESSIONS, images: IMAGES, messages: MESSAGES };
  const { small, userId, sessionId } = await seedRecords(platform, many, FEW);
  const browser = await chromium.launch({ executablePath: await findOrInstallChromium(), args: ['--no-sandbox'] });
  try {
    const baseURL = new URL('/', platform.api).href;
    const own = await signIn(browser, baseURL);
    const few = inWorkspace(own, userId, small);
    const open = async ({ origins }: Kept) => {
      const storageState = { origins, cookies: [] };
      const context = await browser.newContext({ baseURL, storageState, viewport: { width: 1360, height: 860 } });
      await signInContext(context, baseURL, BENCH_LOGIN); // each browser needs a new cookie
      return context;
    };

    await firstPage(() => open(own));
    await longConversation(await open(own), `/chat/${sessionId}`);
    const frames: [list: string, ms: number][] = [];
    const lists = [
      ['conversations', '/chat', 'Conversations', 'flung'],
      ['images', '/studio/gallery', 'Files', 'flung'],
      ['images', '/studio/gallery', 'Files', 'read'],
    ] as const;
    for (const [name, path, label, pace] of lists) {
      const scrolled = async (kept: Kept, count: number) => {
        const context = await open(kept);
        const page = await context.newPage();
        await page.addInitScript({ path: IN_PAGE });
        await page.goto(path);
        await page.getByRole('list', { name: label }).getByRole('listitem').first().waitFor();
        await page.evaluate('bench.settled()');
        const mainThread = await MainThread.of(page);
        const before = await mainThread.computing();
        const wish = JSON.stringify({ label, step: PACES[pace], least: LEAST_FRAMES, most: MOST_FRAMES[pace] });
        const figures = (await page.evaluate(`bench.scrollThrough(${wish})`)) as Scrolling;
        const computing = ((await mainThread.computing()) - before) / figures.gaps.length;
        await page.evaluate('bench.settled()');
        const empty = (await page.evaluate(`bench.rowsWithoutImage('${label}')`)) as number;
        if (name === 'images' && empty > 0) throw new Error(`${empty} images are missing after scrolling stopped`);
        print(`${count.toLocaleString('en')} ${name}, ${pace}`, figures, computing, await mainThread.heapMb());
        await context.close();
        return { ...figures, computing };
      };
      const short = await scrolled(few, FEW);
      const long = await scrolled(own, name === 'images' ? IMAGES : SESSIONS);
      frames.push([`${name}, ${pace}`, long.computing]);
      for (const share of [0.5, 0.95]) {
        const ratio = percentile(long.gaps, share) / percentile(short.gaps, share);
        report(
          `${name} ${pace}, long to short list: frame, p${share * 100} (ratio)`,
          ratio.toFixed(2),
          'aim under 1.5',
        );
      }
      const ratio = long.computing / short.computing;
      report(`${name} ${pace}, long to short list: CPU per frame (ratio)`, ratio.toFixed(2), 'aim under 1.5');
    }
    for (const [list, ms] of frames) budget(`CPU per frame (ms), ${list}`, ms, BUDGETS.frameMs);
  } finally {
    await browser.close();
  }
}

async function firstPage(open: () => Promise<BrowserContext>): Promise<void> {
  const times: number[] = [];
  const again: number[] = [];
  const blocked: number[] = [];
  const computing: number[] = [];
  const sizes: number[] = [];
  for (let load = 0; load < LOADS; load += 1) {
    const context = await open(); // empty cache
    const page = await context.newPage();
    await page.addInitScript({ path: IN_PAGE });
    const mainThread = await MainThread.of(page);
    const transfer = await countFiles(page);
    for (const into of [times, again]) {
      await page.goto('/chat', { waitUntil: 'commit' });
      const box = page.getByRole('textbox', { name: 'Message' });
      await box.fill('Accepts text');
      await page.getByRole('button', { name: 'Send', disabled: false }).waitFor();
      await page.waitForFunction('bench.interactive > 0');
      const longTasks = (await page.evaluate('bench.longTasks')) as number[];
      into.push((await page.evaluate('bench.interactive')) as number);
      if (into === again) continue;
      sizes.push(transfer.kb());
      blocked.push(longTasks.reduce((sum, task) => sum + Math.max(0, task - 50), 0));
      computing.push(await mainThread.computing());
    }
    await context.close();
  }
  budget('files of the first page, compressed (kB)', median(sizes), BUDGETS.firstPageKb);
  budget('from navigation to a usable text box, empty cache (ms)', median(times), BUDGETS.readyMs);
  report('the same, warm cache (ms)', range(again));
  report('CPU of the page until then (ms)', range(computing));
  report('time blocked by long tasks until then and after (ms)', range(blocked));
}

/** Counts the transferred bytes of a page's files, without headers and API responses. */
async function countFiles(page: Page): Promise<{ kb(): number }> {
  const session = await page.context().newCDPSession(page);
  const files = new Set<string>();
  let bytes = 0;
  session.on('Network.requestWillBeSent', ({ requestId, request }) => {
    if (!request.url.includes('/api/')) files.add(requestId);
  });
  const headers = new Map<string, number>();
  session.on('Network.responseReceived', ({ requestId, response }) => {
    headers.set(requestId, response.encodedDataLength);
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (files.has(requestId)) bytes += encodedDataLength - (headers.get(requestId) ?? 0);
  });
  await session.send('Network.enable');
  return { kb: () => bytes / 1_000 };
}

async function longConversation(context: BrowserContext, path: string): Promise<void> {
  const page = await context.newPage();
  await page.addInitScript({ path: IN_PAGE });
  const mainThread = await MainThread.of(page);
  await page.goto(path);
  await page.getByRole('log', { name: 'Messages' }).getByRole('article').first().waitFor();
  await page.evaluate('bench.settled()');
  const what = `a conversation of ${MESSAGES.toLocaleString('en')} messages`;
  report(`${what}: CPU until rendered (ms)`, (await mainThread.computing()).toFixed(0));
  const before = await mainThread.computing();
  await page.getByRole('textbox', { name: 'Message' }).pressSequentially('x'.repeat(KEYS));
  budget(`${what}: CPU per keystroke (ms)`, ((await mainThread.computing()) - before) / KEYS, BUDGETS.keyMs);
  await context.close();
}

async function signIn(browser: Browser, baseURL: string): Promise<Kept> {
  const context = await browser.newContext({ baseURL });
  const page = await context.newPage();
  await page.goto('/');
  await page.getByLabel('Email').fill(BENCH_LOGIN.email);
  await page.locator('input[name=password]').fill(BENCH_LOGIN.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
  const kept = await context.storageState();
  await context.close();
  return kept;
}

function inWorkspace(kept: Kept, userId: string, workspaceId: string): Kept {
  const scope = { name: `chorus.scope.${userId}`, value: JSON.stringify({ type: 'workspace', workspaceId }) };
  const origins = kept.origins.map((origin) => ({ ...origin, localStorage: [...origin.localStorage, scope] }));
  return { ...kept, origins };
}

function print(what: string, scrolling: Scrolling, computing: number, heap: number): void {
  const { gaps, waiting, seconds, elements, height } = scrolling;
  const [p50, p95, most] = [0.5, 0.95, 1].map((share) => percentile(gaps, share).toFixed(1));
  report(`${what}: scrolled ${height.toLocaleString('en')} pixels (s)`, seconds.toFixed(1));
  report(`${what}: between frames (ms: p50, p95, max)`, `${p50} ${p95} ${most}`);
  report(`${what}: CPU of the page per frame (ms)`, computing.toFixed(1));
  const late = gaps.filter((gap) => gap > 32).length / gaps.length;
  report(`${what}: frames later than 32 ms`, percent(late), 'aim under 1%');
  report(`${what}: frames that waited for the server`, percent(waiting / gaps.length));
  report(`${what}: peak elements, heap (MB)`, `${elements} ${heap.toFixed(1)}`);
}

/** Measures the CPU time of a page's main thread. */
class MainThread {
  readonly #session: CDPSession;

  private constructor(session: CDPSession) {
    this.#session = session;
  }

  static async of(page: Page): Promise<MainThread> {
    const session = await page.context().newCDPSession(page);
    // CPU time of the thread, so other load on the machine does not distort it.
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    return new MainThread(session);
  }

  /** Milliseconds since the start. */
  async computing(): Promise<number> {
    const { metrics } = await this.#session.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1_000;
  }

  async heapMb(): Promise<number> {
    await this.#session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await this.#session.send('Runtime.getHeapUsage');
    return usedSize / 1e6;
  }
}

const percent = (share: number) => `${(share * 100).toFixed(2)}%`;
const range = (values: number[]) => `${median(values).toFixed(0)} (≤ ${Math.max(...values).toFixed(0)})`;
