import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { findOrInstallChromium } from '../../../scripts/setup/chromium.mjs';
import { root } from '../../../scripts/setup/project.mjs';
import { signInContext } from '../../sign-in-context.ts';

/** Fetching a Chromium where there is none takes that long, in milliseconds. */
export const BROWSER_START_MS = 300_000;

/** Where pictures of the pages are put, to be looked at: with CHORUS_PICTURES=1, and by `npm run soak`. */
const PICTURES = join(root, '.data/screenshots');

/** How long what a page shows may be waited for, in milliseconds. */
const PATIENCE_MS = 40_000;

export interface PageOptions {
  phone?: boolean;
  dark?: boolean;
  /** Whose answers are wanted; absent: the platform's usual model. */
  model?: string;
}

/** A Chromium, and the built console of a platform in it. */
export class ConsoleBrowser {
  readonly #browser: Browser;
  readonly #url: string;
  readonly #login: { email: string; password: string };
  /** What pages have complained of: nothing of a good journey does. */
  readonly complaints: string[] = [];

  private constructor(browser: Browser, url: string, login: { email: string; password: string }) {
    this.#browser = browser;
    this.#url = url;
    this.#login = login;
  }

  static async start(url: string, login: { email: string; password: string }): Promise<ConsoleBrowser> {
    // `npm test` has built it; a single file that is run alone may come before.
    const [executablePath] = await Promise.all([
      findOrInstallChromium(),
      promisify(execFile)(process.execPath, [join(root, 'apps/console/build.mjs')]),
      mkdir(PICTURES, { recursive: true }),
    ]);
    const args = [
      '--no-sandbox',
      '--use-fake-ui-for-media-stream',
      '--use-fake-device-for-media-stream',
      '--autoplay-policy=no-user-gesture-required',
    ];
    return new ConsoleBrowser(await chromium.launch({ executablePath, args }), url, login);
  }

  /** A page of someone who has never been here. `remembered`: what the browser keeps of an earlier visit. */
  async newPage(path: string, options: PageOptions = {}, remembered: Record<string, unknown> = {}): Promise<Page> {
    const context = await this.#newContext(options);
    await remember(context, this.#url, remembered);
    return this.#open(context, path);
  }

  /** A page of the platform's first user, who has signed in before. */
  async signedIn(path: string, options: PageOptions = {}): Promise<Page> {
    const context = await this.#newContext(options);
    const user = await signInContext(context, this.#url, this.#login);
    await remember(context, this.#url, {
      'chorus.login': { user },
      ...(options.model !== undefined && { 'chorus.chat.model': options.model }),
    });
    return this.#open(context, path);
  }

  async signIn(page: Page, { email, password } = this.#login): Promise<void> {
    await page.getByLabel('E-mail').fill(email);
    await page.locator('input[name=password]').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: /^Account/ }).waitFor({ state: 'attached' });
  }

  async close(): Promise<void> {
    await this.#browser.close();
  }

  async #newContext({ phone = false, dark = false }: PageOptions): Promise<BrowserContext> {
    const context = await this.#browser.newContext({
      baseURL: this.#url,
      viewport: phone ? { width: 390, height: 844 } : { width: 1360, height: 860 },
      hasTouch: phone,
      colorScheme: dark ? 'dark' : 'light',
      reducedMotion: 'reduce',
      permissions: ['microphone'],
    });
    context.setDefaultTimeout(PATIENCE_MS);
    return context;
  }

  async #open(context: BrowserContext, path: string): Promise<Page> {
    const page = await context.newPage();
    page.on('pageerror', (error) => this.complaints.push(`${page.url()}: ${error.message}`));
    page.on('console', (message) => {
      const isPolicy = message.text().includes('Content Security Policy');
      if (isPolicy) this.complaints.push(`${page.url()}: ${message.text()}`);
    });
    await page.goto(path);
    return page;
  }
}

/** Puts values into the storage of a browser before any page is open. */
async function remember(context: BrowserContext, url: string, values: Record<string, unknown>): Promise<void> {
  const localStorage = Object.entries(values).map(([name, value]) => ({ name, value: JSON.stringify(value) }));
  if (localStorage.length === 0) return;
  const { cookies } = await context.storageState();
  await context.setStorageState({ cookies, origins: [{ origin: new URL(url).origin, localStorage }] });
}

/** Takes a picture of what a page shows, to be looked at; where somebody wants to. */
export async function picture(page: Page, name: string): Promise<void> {
  if (!process.env.CHORUS_PICTURES && !process.env.CHORUS_SOAK) return;
  await page.screenshot({ path: join(PICTURES, `${name}.png`) });
}
