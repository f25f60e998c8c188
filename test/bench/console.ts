import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core';
import { findOrInstallChromium } from '../../scripts/setup/chromium.mjs';
import { signInContext } from '../sign-in-context.ts';
import { writeManyRecords } from './console/many-records.ts';
import { heading, median, percentile, report } from './figures.ts';
import { BENCH_LOGIN, type BenchPlatform } from './platform.ts';

const SESSIONS = 10_000;
const IMAGES = 5_000;
const MESSAGES = 1_000;
const FEW = 100;
const LOADS = 7;
const KEYS = 20;
/** How far a list moves between two frames, in pixels: when a finger flings it, and when somebody looks for something in it. */
const PACES = { flung: 160, read: 20 };
/** A list of few is scrolled again and again, until its figures mean something. */
const LEAST_FRAMES = 600;
/** One that is read is left before its end: that is far. */
const MOST_FRAMES = { flung: 10_000, read: 1_200 };

const IN_PAGE = fileURLToPath(new URL('console/in-page.js', import.meta.url));

interface Scrolling {
  /** Between two frames, in milliseconds. */
  gaps: number[];
  /** Of all rows, in pixels. */
  height: number;
  /** Frames at the end of what was read, where more was to come. */
  waiting: number;
  seconds: number;
  /** The most elements that the page had. */
  elements: number;
}

type Kept = Awaited<ReturnType<BrowserContext['storageState']>>;

/** How soon one can write in the console, and how smoothly its longest lists scroll beside short ones, in a real Chromium. */
export async function consoleSpeed(platform: BenchPlatform): Promise<void> {
  heading(`The console, ${SESSIONS.toLocaleString('en')} conversations and ${IMAGES.toLocaleString('en')} images`);
  report('load of the machine before (processes)', (loadavg()[0] ?? 0).toFixed(1), 'figures are for below 0.5');
  const many = { sessions: SESSIONS, images: IMAGES, messages: MESSAGES };
  const { small, userId, sessionId } = await writeManyRecords(platform, many, FEW);
  const browser = await chromium.launch({ executablePath: await findOrInstallChromium(), args: ['--no-sandbox'] });
  try {
    const baseURL = new URL('/', platform.api).href;
    const own = await signIn(browser, baseURL);
    const few = inWorkspace(own, userId, small);
    const open = async ({ origins }: Kept) => {
      const storageState = { origins, cookies: [] };
      const context = await browser.newContext({ baseURL, storageState, viewport: { width: 1360, height: 860 } });
      await signInContext(context, baseURL, BENCH_LOGIN); // a cookie is good for one browser
      return context;
    };

    await firstPage(() => open(own));
    await longConversation(await open(own), `/chat/${sessionId}`);
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
        await page.evaluate('bench.atRest()');
        const mainThread = await MainThread.of(page);
        const before = await mainThread.computing();
        const wish = JSON.stringify({ label, step: PACES[pace], least: LEAST_FRAMES, most: MOST_FRAMES[pace] });
        const figures = (await page.evaluate(`bench.scrollThrough(${wish})`)) as Scrolling;
        const computing = ((await mainThread.computing()) - before) / figures.gaps.length;
        await page.evaluate('bench.atRest()');
        const empty = (await page.evaluate(`bench.withoutPicture('${label}')`)) as number;
        if (name === 'images' && empty > 0) throw new Error(`${empty} images are not drawn once the list is at rest`);
        tell(`${count.toLocaleString('en')} ${name}, ${pace}`, figures, computing, await mainThread.heapMb());
        await context.close();
        return { ...figures, computing };
      };
      const short = await scrolled(few, FEW);
      const long = await scrolled(own, name === 'images' ? IMAGES : SESSIONS);
      for (const share of [0.5, 0.95]) {
        const ratio = percentile(long.gaps, share) / percentile(short.gaps, share);
        report(`${name} ${pace}, many beside few: frame, p${share * 100} (ratio)`, ratio.toFixed(2), 'aim under 1.5');
      }
      const ratio = long.computing / short.computing;
      report(`${name} ${pace}, many beside few: computing of a frame (ratio)`, ratio.toFixed(2), 'aim under 1.5');
    }
  } finally {
    await browser.close();
  }
}

async function firstPage(open: () => Promise<BrowserContext>): Promise<void> {
  const times: number[] = [];
  const again: number[] = [];
  const blocked: number[] = [];
  const computing: number[] = [];
  for (let load = 0; load < LOADS; load += 1) {
    const context = await open(); // with nothing in its cache
    const page = await context.newPage();
    await page.addInitScript({ path: IN_PAGE });
    const mainThread = await MainThread.of(page);
    for (const into of [times, again]) {
      await page.goto('/chat', { waitUntil: 'commit' });
      const box = page.getByRole('textbox', { name: 'Message' });
      await box.fill('It takes text');
      await page.getByRole('button', { name: 'Send', disabled: false }).waitFor();
      await page.waitForFunction('bench.interactive > 0');
      const longTasks = (await page.evaluate('bench.longTasks')) as number[];
      into.push((await page.evaluate('bench.interactive')) as number);
      if (into === again) continue;
      blocked.push(longTasks.reduce((sum, task) => sum + Math.max(0, task - 50), 0));
      computing.push(await mainThread.computing());
    }
    await context.close();
  }
  report('from navigation to a box that takes text, nothing cached (ms)', range(times), 'aim under 1,000');
  report('the same, loaded again (ms)', range(again));
  report('computing of the page until it has taken text (ms)', range(computing));
  report('time blocked by long tasks until then and after (ms)', range(blocked));
}

async function longConversation(context: BrowserContext, path: string): Promise<void> {
  const page = await context.newPage();
  await page.addInitScript({ path: IN_PAGE });
  const mainThread = await MainThread.of(page);
  await page.goto(path);
  await page.getByRole('log', { name: 'Messages' }).getByRole('article').first().waitFor();
  await page.evaluate('bench.atRest()');
  const what = `a conversation of ${MESSAGES.toLocaleString('en')} messages`;
  report(`${what}: computing until it stands (ms)`, (await mainThread.computing()).toFixed(0));
  const before = await mainThread.computing();
  await page.getByRole('textbox', { name: 'Message' }).pressSequentially('x'.repeat(KEYS));
  report(`${what}: computing of a key (ms)`, (((await mainThread.computing()) - before) / KEYS).toFixed(1));
  await context.close();
}

async function signIn(browser: Browser, baseURL: string): Promise<Kept> {
  const context = await browser.newContext({ baseURL });
  const page = await context.newPage();
  await page.goto('/');
  await page.getByLabel('E-mail').fill(BENCH_LOGIN.email);
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

function tell(what: string, scrolling: Scrolling, computing: number, heap: number): void {
  const { gaps, waiting, seconds, elements, height } = scrolling;
  const [p50, p95, most] = [0.5, 0.95, 1].map((share) => percentile(gaps, share).toFixed(1));
  report(`${what}: of ${height.toLocaleString('en')} pixels (s)`, seconds.toFixed(1));
  report(`${what}: between frames (ms: p50, p95, most)`, `${p50} ${p95} ${most}`);
  report(`${what}: computing of the page, each frame (ms)`, computing.toFixed(1), 'aim under 8: half a frame');
  const late = gaps.filter((gap) => gap > 32).length / gaps.length;
  report(`${what}: frames that came after more than 32 ms`, percent(late), 'aim under 1%');
  report(`${what}: frames that waited for the server`, percent(waiting / gaps.length));
  report(`${what}: elements at most, heap (MB)`, `${elements} ${heap.toFixed(1)}`);
}

/** What a page's main thread has used. */
class MainThread {
  readonly #session: CDPSession;

  private constructor(session: CDPSession) {
    this.#session = session;
  }

  static async of(page: Page): Promise<MainThread> {
    const session = await page.context().newCDPSession(page);
    // Of a core: what else runs on the machine makes no difference.
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    return new MainThread(session);
  }

  /** In milliseconds, since it began. */
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
