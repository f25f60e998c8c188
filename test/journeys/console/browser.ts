import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium, type Page } from 'playwright-core';
import { findOrInstallChromium } from '../../../scripts/setup/chromium.mjs';
import { root } from '../../../scripts/setup/project.mjs';

/** Fetching a Chromium where there is none takes that long, in milliseconds. */
export const BROWSER_START_MS = 300_000;

/** Where pictures of the pages are put, to be looked at. */
const PICTURES = join(root, '.data/screenshots');

/** How long what a page shows may be waited for, in milliseconds. */
const PATIENCE_MS = 20_000;

export interface PageOptions {
  phone?: boolean;
  dark?: boolean;
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
    const args = ['--no-sandbox', '--use-fake-ui-for-media-stream', '--use-fake-device-for-media-stream'];
    return new ConsoleBrowser(await chromium.launch({ executablePath, args }), url, login);
  }

  /** A page of somebody who has never been here. */
  async newPage(path: string, { phone = false, dark = false }: PageOptions = {}): Promise<Page> {
    const context = await this.#browser.newContext({
      baseURL: this.#url,
      viewport: phone ? { width: 390, height: 844 } : { width: 1360, height: 860 },
      hasTouch: phone,
      colorScheme: dark ? 'dark' : 'light',
      reducedMotion: 'reduce',
      permissions: ['microphone', 'clipboard-read', 'clipboard-write'],
    });
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    page.on('pageerror', (error) => this.complaints.push(`${page.url()}: ${error.message}`));
    page.on('console', (message) => {
      const isPolicy = message.text().includes('Content Security Policy');
      if (isPolicy) this.complaints.push(`${page.url()}: ${message.text()}`);
    });
    await page.goto(path);
    return page;
  }

  /** A page of the platform's first user. */
  async signedIn(path: string, options?: PageOptions): Promise<Page> {
    const page = await this.newPage(path, options);
    await this.signIn(page);
    return page;
  }

  async signIn(page: Page): Promise<void> {
    await page.getByLabel('E-mail').fill(this.#login.email);
    await page.locator('input[name=password]').fill(this.#login.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: /^Account/ }).waitFor({ state: 'attached' });
  }

  /** The same user, looking from a phone, or at night: signed in already. */
  async likewise(page: Page, options: PageOptions): Promise<Page> {
    const kept = await page.evaluate(() => Object.entries(localStorage));
    const other = await this.newPage('/icon.svg', options);
    await other.evaluate((entries) => {
      for (const [key, value] of entries) localStorage.setItem(key, value);
    }, kept);
    await other.goto(new URL(page.url()).pathname);
    return other;
  }

  async close(): Promise<void> {
    await this.#browser.close();
  }
}

/** Takes a picture of what a page shows, to be looked at. */
export async function picture(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(PICTURES, `${name}.png`) });
}
