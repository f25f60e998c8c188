import { type Browser, firefox, type Locator, type Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { findProgram } from '../../../scripts/setup/find-program.mjs';
import { navigate } from './browser.ts';
import type { Fixtures } from './shell.ts';

/** `npm test` needs FIREFOX_PATH, as this takes 15 s of CPU. The soak also looks on PATH. */
const FIREFOX =
  process.env.FIREFOX_PATH || (process.env.CHORUS_SOAK === '1' ? findProgram(['firefox', 'firefox-esr']) : undefined);

const PREFERENCES = { 'layout.css.prefers-color-scheme.content-override': 0, 'ui.prefersReducedMotion': 1 };

/** An unmodified Firefox, which Playwright drives by WebDriver BiDi. Pages are dark. */
async function startFirefox(executablePath: string): Promise<Browser> {
  const browser = await firefox.launch({ channel: 'moz-firefox', executablePath, firefoxUserPrefs: PREFERENCES });
  // Playwright always sends a command that Firefox 153 does not know yet. The preferences do the same.
  const { _browserSession: session } = (browser as unknown as Internal)._connection.toImpl(browser);
  const send = session.send.bind(session);
  session.send = async (method, parameters) =>
    method === 'emulation.setMediaFeaturesOverride' ? {} : send(method, parameters);
  return browser;
}

interface Internal {
  _connection: {
    toImpl: (browser: Browser) => {
      _browserSession: { send: (method: string, parameters: unknown) => Promise<unknown> };
    };
  };
}

/** Types key by key: in Firefox, React does not notice Playwright's `fill`. */
const write = (field: Locator, text: string) => field.pressSequentially(text);

const answer = (page: Page) => page.getByRole('article', { name: 'Answer' });

async function streamAnswer(page: Page): Promise<void> {
  await write(page.getByRole('textbox', { name: 'Message' }), 'Count');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/chat\/ses_/);
  const length = async () => ((await answer(page).textContent()) ?? '').length;
  await expect.poll(length).toBeGreaterThan(100);
  await page.reload();
  await expect.poll(length).toBeGreaterThan(100);
  const known = await length();
  await expect.poll(length).toBeGreaterThan(known);
  await page.getByRole('button', { name: 'Stop answer' }).click();
  await answer(page).getByRole('button', { name: 'Regenerate' }).waitFor();
}

async function createImage(page: Page): Promise<void> {
  await navigate(page, '/studio/images');
  await write(page.getByRole('textbox', { name: 'Prompt', exact: true }), 'A windmill');
  await page.getByRole('button', { name: 'Create image' }).click();
  const width = () =>
    page.evaluate(`document.querySelector('article[aria-label="A windmill"] img')?.naturalWidth ?? 0`);
  await expect.poll(width).toBeGreaterThan(0);
}

async function useArabic(page: Page): Promise<void> {
  await navigate(page, '/settings/account');
  await page.locator('[data-language]').click();
  await page.getByRole('menuitem', { name: 'العربية' }).click();
  await page.getByRole('heading', { name: 'الإعدادات' }).waitFor();
  expect(await page.locator('html').getAttribute('dir')).toBe('rtl');
  const sidebar = await page.getByRole('navigation', { name: 'الرئيسية' }).boundingBox();
  expect(sidebar?.x).toBeGreaterThan(600);
}

const SKIPPED = 'FIREFOX_PATH is not set, or this is the soak without a firefox on PATH';

export function firefoxJourneys(fixtures: Fixtures): void {
  it('signs in, streams an answer across a reload, and creates an image, in the dark and in Arabic', async ({
    skip,
  }) => {
    if (FIREFOX === undefined) return skip(SKIPPED);
    const browser = await startFirefox(FIREFOX);
    onTestFinished(() => browser.close());
    const { login } = fixtures().platform;
    const page = await fixtures().browser.openIn(browser);
    await page.evaluate(`localStorage.setItem('chorus.chat.model', '"compatible/words-5000-delay-20"')`);
    await write(page.getByLabel('Email'), login.email);
    await write(page.locator('input[name=password]'), login.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.locator('#content').waitFor();
    expect(await page.locator('html').getAttribute('data-mantine-color-scheme')).toBe('dark');
    await streamAnswer(page);
    await createImage(page);
    await useArabic(page);
  });
}
