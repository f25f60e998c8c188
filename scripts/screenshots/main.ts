import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient, createLogin } from '@chorus/client';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { startPlatform } from '../../test/bench/platform.ts';
import { ConsoleBrowser, type PageOptions } from '../../test/journeys/console/browser.ts';
import { root } from '../setup/project.mjs';
import { beginBatch, fillPlatform } from './fill-platform.ts';
import { QUESTIONS, startWrittenAnswers } from './written-answers.ts';

/** `npm run screenshots`: takes the README's screenshots of the console. */
const FOLDER = join(root, 'docs/images');
const LOGIN = { email: 'ada@example.org', password: 'screenshots-1' };

const answers = await startWrittenAnswers();
const platform = await startPlatform({ COMPATIBLE_BASE_URL: answers.url, DEFAULT_MODEL: 'compatible/demo' }, LOGIN);
try {
  const baseUrl = new URL('/', platform.api).href;
  const login = createLogin({ baseUrl });
  await login.login(LOGIN.email, LOGIN.password);
  const client = createClient({ baseUrl, auth: login });
  const { session } = await fillPlatform(client);
  const browser = await ConsoleBrowser.start(baseUrl, LOGIN);
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });

  const take = async (name: string, path: string, options: PageOptions, until: (page: Page) => Promise<unknown>) => {
    const page = await browser.signedIn(path, options);
    await until(page);
    await page.evaluate('Promise.all([...document.images].map((image) => image.decode().catch(() => undefined)))');
    const png = await page.screenshot();
    await sharp(png)
      .webp({ quality: 88, effort: 6, smartSubsample: true })
      .toFile(join(FOLDER, `${name}.webp`));
    await browser.leave(page);
  };
  const answer = async (page: Page) => {
    await page.locator('.hljs-keyword').first().waitFor();
    await page.getByText('Live', { exact: true }).waitFor({ state: 'attached' });
    await page.getByRole('log').hover();
    await page.mouse.wheel(0, -3_000);
    await page.waitForFunction("document.querySelector('[role=log]').scrollTop === 0");
  };
  for (const dark of [false, true]) {
    const suffix = dark ? '-dark' : '';
    await take(`chat${suffix}`, `/chat/${session}`, { dark }, answer);
    await take(`gallery${suffix}`, '/studio/gallery', { dark }, async (page) => {
      await page.getByRole('list', { name: 'Files' }).getByRole('button').first().waitFor();
    });
    await take(`knowledge${suffix}`, '/knowledge/ask', { dark }, async (page) => {
      await page.getByLabel('Question').fill(QUESTIONS.mill);
      await page.keyboard.press('Enter');
      await page.locator('article[aria-busy=false]').waitFor();
      await page.getByRole('list', { name: 'Sources' }).getByRole('button').first().waitFor();
    });
  }
  await take('chat-phone', `/chat/${session}`, { phone: true, dark: true }, answer);
  await beginBatch(client);
  for (const dark of [false, true]) {
    await take(`batches${dark ? '-dark' : ''}`, '/jobs/batches', { dark }, async (page) => {
      await page.getByText(/^[1-9]\d* of 180 done/).waitFor();
    });
  }
  await browser.close();
  console.log(`Pictures are in ${FOLDER}: ${(await readdir(FOLDER)).join(', ')}`);
} finally {
  answers.stop();
  await platform.stop();
}
