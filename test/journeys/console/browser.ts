import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { findOrInstallChromium } from '../../../scripts/setup/chromium.mjs';
import { root } from '../../../scripts/setup/project.mjs';
import { signInContext } from '../../sign-in-context.ts';

/** Includes a download of Chromium. */
export const BROWSER_START_MS = 300_000;

/** Filled with CHORUS_SCREENSHOTS=1 and by `npm run soak`. */
const SCREENSHOTS = join(root, '.data/screenshots');

const SAVE_DATA = "Object.defineProperty(navigator.connection, 'saveData', { value: true })";

const DESKTOP = { width: 1360, height: 860 };

/** Timeout of each wait for page content. */
const PAGE_TIMEOUT_MS = 40_000;

export interface PageOptions {
  phone?: boolean;
  dark?: boolean;
  model?: string;
  /** Of the browser. */
  locale?: string;
  /** Whether the page fetches the files of all pages, which takes two seconds of CPU. */
  fetchesAll?: boolean;
}

export class ConsoleBrowser {
  readonly #browser: Browser;
  readonly #url: string;
  readonly #login: { email: string; password: string };
  readonly pageErrors: string[] = [];
  /** Contexts that journeys use one after another: loading a page takes half the CPU with a filled cache. */
  readonly #shared = new Map<string, BrowserContext>();
  /** A page with the default options that the next journey goes on with. */
  #kept: Page | undefined;

  private constructor(browser: Browser, url: string, login: { email: string; password: string }) {
    this.#browser = browser;
    this.#url = url;
    this.#login = login;
  }

  static async start(url: string, login: { email: string; password: string }): Promise<ConsoleBrowser> {
    // `npm test` has built the console already; a single test file may run without that.
    const [executablePath] = await Promise.all([
      findOrInstallChromium(),
      promisify(execFile)(process.execPath, [join(root, 'apps/console/build.mjs')]),
      mkdir(SCREENSHOTS, { recursive: true }),
    ]);
    const args = [
      '--no-sandbox',
      '--use-fake-ui-for-media-stream',
      '--use-fake-device-for-media-stream',
      '--autoplay-policy=no-user-gesture-required',
      // Pages live for seconds, so optimizing their scripts takes more CPU than it saves.
      '--js-flags=--no-turbofan,--no-maglev,--single-threaded-gc',
    ];
    return new ConsoleBrowser(await chromium.launch({ executablePath, args }), url, login);
  }

  /** Opens a page without a login, with `remembered` in localStorage. */
  async newPage(path: string, options: PageOptions = {}, remembered: Record<string, unknown> = {}): Promise<Page> {
    const context = await this.#newContext(options);
    await remember(context, this.#url, remembered);
    return this.#open(context, path);
  }

  /** Opens the console in another browser. */
  async openIn(browser: Browser): Promise<Page> {
    const context = await browser.newContext({ baseURL: this.#url, viewport: DESKTOP, locale: 'en-US' });
    context.setDefaultTimeout(PAGE_TIMEOUT_MS);
    return this.#open(context, '/');
  }

  /** Opens a page that is signed in: the kept one, or a new one. */
  async signedIn(path: string, options: PageOptions = {}): Promise<Page> {
    const kept = this.#kept;
    this.#kept = undefined;
    if (kept && Object.keys(options).length === 0) {
      await kept.setViewportSize(DESKTOP);
      await navigate(kept, path);
      return kept;
    }
    await kept?.close();
    const context = await this.#freeContext(options);
    const user = await signInContext(context, this.#url, this.#login);
    await remember(context, this.#url, {
      'chorus.login': { user },
      ...(options.model !== undefined && { 'chorus.chat.model': options.model }),
    });
    return this.#open(context, path);
  }

  /**
   * Leaves the page to the next journey, since loading the console takes most of a second of CPU. The page has the
   * default options and is as if just opened: signed in, without a dialog, and with the same settings.
   */
  keep(page: Page): void {
    this.#kept = page;
  }

  /** Closes the page, and all others of its context. */
  async leave(page: Page): Promise<void> {
    const context = page.context();
    if (![...this.#shared.values()].includes(context)) return context.close();
    await context.setOffline(false);
    await Promise.all(context.pages().map((each) => each.close()));
  }

  async signIn(page: Page, { email, password } = this.#login): Promise<void> {
    await page.getByLabel('Email').fill(email);
    await page.locator('input[name=password]').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.locator('#content').waitFor();
  }

  async close(): Promise<void> {
    await this.#browser.close();
  }

  /** Returns a context that no other page uses. */
  async #freeContext(options: PageOptions): Promise<BrowserContext> {
    const { phone = false, dark = false, locale, fetchesAll } = options;
    if (locale !== undefined || fetchesAll) return this.#newContext(options);
    const key = JSON.stringify({ phone, dark });
    const shared = this.#shared.get(key);
    if (shared?.pages().length === 0) return shared;
    const context = await this.#newContext(options);
    if (shared === undefined) this.#shared.set(key, context);
    return context;
  }

  async #newContext({
    phone = false,
    dark = false,
    locale = 'en-US',
    fetchesAll = false,
  }: PageOptions): Promise<BrowserContext> {
    const context = await this.#browser.newContext({
      baseURL: this.#url,
      viewport: phone ? { width: 390, height: 844 } : DESKTOP,
      hasTouch: phone,
      locale,
      colorScheme: dark ? 'dark' : 'light',
      reducedMotion: 'reduce',
      permissions: ['microphone'],
    });
    context.setDefaultTimeout(PAGE_TIMEOUT_MS);
    if (!fetchesAll) await context.addInitScript(SAVE_DATA);
    return context;
  }

  async #open(context: BrowserContext, path: string): Promise<Page> {
    const page = await context.newPage();
    page.on('pageerror', (error) => this.pageErrors.push(`${page.url()}: ${error.message}`));
    page.on('console', (message) => {
      const isPolicy = message.text().includes('Content Security Policy');
      if (isPolicy) this.pageErrors.push(`${page.url()}: ${message.text()}`);
    });
    await page.goto(path);
    return page;
  }
}

/** Navigates as a link does, without loading the page again. */
export async function navigate(page: Page, path: string): Promise<void> {
  await page.evaluate(`{ history.pushState(null, '', '${path}'); dispatchEvent(new PopStateEvent('popstate')); }`);
}

async function remember(context: BrowserContext, url: string, values: Record<string, unknown>): Promise<void> {
  const localStorage = Object.entries(values).map(([name, value]) => ({ name, value: JSON.stringify(value) }));
  if (localStorage.length === 0) return;
  const { cookies } = await context.storageState();
  await context.setStorageState({ cookies, origins: [{ origin: new URL(url).origin, localStorage }] });
}

export async function screenshot(page: Page, name: string): Promise<void> {
  if (!process.env.CHORUS_SCREENSHOTS && !process.env.CHORUS_SOAK) return;
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
}
