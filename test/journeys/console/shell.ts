import type { Request } from 'playwright-core';
import { expect, it } from 'vitest';
import type { Platform } from '../platform.ts';
import { findings } from './accessibility.ts';
import { type ConsoleBrowser, screenshot } from './browser.ts';

export type Fixtures = () => { platform: Platform; browser: ConsoleBrowser };

/** Compressed, in bytes. */
const FIRST_PAGE_BYTES = 250 * 1024;
const FONT_BYTES = 50_000;

export function shellJourneys(fixtures: Fixtures): void {
  it('never caches the page, caches its files forever, and loads nothing from elsewhere', async () => {
    const { platform } = fixtures();
    const url = String(platform.apis[0]?.url);
    const page = await fetch(`${url}/`, { headers: { accept: 'text/html' } });
    expect(page.status).toBe(200);
    expect(page.headers.get('cache-control')).toBe('no-store');
    const policy = String(page.headers.get('content-security-policy'));
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self' 'nonce-");
    const html = await page.text();
    expect(html).not.toMatch(/(src|href)="(https?:)?\/\//);
    const script = /src="\.\/(assets\/[^"]+\.js)"/.exec(html)?.[1];
    const file = await fetch(`${url}/${script}`, { headers: { 'accept-encoding': 'gzip' } });
    expect(file.headers.get('cache-control')).toContain('immutable');
    expect(file.headers.get('content-encoding')).toBe('gzip');
    const manifest = await fetch(`${url}/app.webmanifest`);
    expect(manifest.headers.get('content-type')).toContain('application/manifest+json');
    const { icons } = (await manifest.json()) as { icons: { src: string; type: string }[] };
    for (const { src, type } of icons) {
      const icon = await fetch(new URL(src, manifest.url));
      expect([src, icon.headers.get('content-type')]).toEqual([src, type]);
    }
    const sandbox = (await fetch(`${url}/sandbox.html`)).headers.get('content-security-policy');
    expect(sandbox).toContain("sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline';");
    const deep = await fetch(`${url}/chat/ses_x`, { headers: { accept: 'text/html' } });
    expect(deep.status).toBe(200);
    for (const path of ['/api/v1/nothing', '/assets/nothing.js', '/docs/nothing'])
      expect((await fetch(url + path)).status, path).toBe(404);
  });

  it('loads little before the first message can be written', async () => {
    const { browser } = fixtures();
    const page = await browser.newPage('about:blank');
    const sizes: Promise<number>[] = [];
    const fonts: Promise<number>[] = [];
    const weigh = (request: Request) => {
      if (request.url().includes('/api/')) return;
      const size = request.sizes().then(({ responseBodySize }) => responseBodySize);
      (request.resourceType() === 'font' ? fonts : sizes).push(size);
    };
    page.on('requestfinished', weigh);
    await page.goto('/');
    await page.getByRole('heading', { name: 'Sign in to Chorus' }).waitFor();
    await screenshot(page, 'sign-in');
    expect(await findings(page)).toEqual([]);
    await browser.signIn(page);
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    // Sizes of later requests are unavailable once the page is closed.
    page.off('requestfinished', weigh);
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThan(FIRST_PAGE_BYTES);
    const [fontBytes = 0, ...more] = await Promise.all(fonts);
    expect(fontBytes).toBeGreaterThan(10_000);
    expect(fontBytes).toBeLessThan(FONT_BYTES);
    expect(more).toEqual([]);
    expect(await page.evaluate('document.fonts.check("16px Inter Variable")')).toBe(true);
    await browser.leave(page);
  });

  it('shows the outline of the page, in the chosen colors, before its scripts have loaded', async () => {
    const { browser } = fixtures();
    const page = await browser.newPage('about:blank', {}, { 'chorus.login': {} });
    await page.route(/\/assets\/.*\.(js|css)$/, (route) => route.abort());
    await page.goto('/');
    const outline = page.locator('.outline');
    const background = () => page.evaluate("getComputedStyle(document.querySelector('.outline')).backgroundColor");
    await outline.locator('.write').waitFor();
    expect(await background()).toBe('rgb(255, 255, 255)');
    await page.evaluate("localStorage.setItem('mantine-color-scheme-value', 'dark')");
    await page.reload();
    await outline.waitFor();
    expect(await background()).toBe('rgb(21, 23, 28)');
    await screenshot(page, 'outline-dark');
    await browser.leave(page);
  });

  it('reports a wrong password; signs out in every tab', async () => {
    const { browser } = fixtures();
    const wrong = await browser.newPage('/');
    await wrong.getByLabel('Email').fill('nobody@example.org');
    await wrong.locator('input[name=password]').fill('not this one');
    await wrong.getByRole('button', { name: 'Sign in' }).click();
    await wrong.getByRole('alert').waitFor();
    await browser.leave(wrong);

    const page = await browser.newPage('/');
    await browser.signIn(page);
    const tab = await page.context().newPage();
    await tab.goto('/');
    await page.getByText('Live', { exact: true }).waitFor();
    await tab.getByRole('button', { name: /^Account/ }).click();
    await tab.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await browser.leave(page);
  });

  it('finds conversations, documents, pages, and actions by keyboard', async () => {
    const { browser, platform } = fixtures();
    const { client } = platform;
    const { session_id } = (await client.chat({ message: 'Lighthouse keepers', model: 'compatible/echo' })).body;
    await client.post('/console/knowledge', { title: 'Lighthouse rules', content: 'Keep the light on.' });
    const page = await browser.signedIn('/settings/usage');
    const palette = page.getByRole('dialog', { name: 'Command palette' });
    const search = async (text: string) => {
      await page.keyboard.press('Control+k');
      await palette.getByRole('combobox', { name: 'Search' }).fill(text);
    };
    const option = (name: string) => palette.getByRole('option', { name, selected: true });
    await page.getByRole('button', { name: 'Search', exact: false }).waitFor();
    await search('lighthouse');
    await palette.getByRole('group', { name: 'Documents' }).getByText('Lighthouse rules').waitFor();
    await option('Lighthouse keepers').waitFor();
    expect(await findings(page)).toEqual([]);
    await screenshot(page, 'palette');
    await page.keyboard.press('ArrowDown');
    await option('Lighthouse rules').waitFor();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.waitForURL(`/chat/${session_id}`);

    await page.getByRole('textbox', { name: 'Message' }).press('Control+k');
    await palette.getByRole('combobox', { name: 'Search' }).fill('sett keys');
    await option('API keys Settings').click();
    await page.waitForURL('/settings/keys');
    await search('dark');
    await page.keyboard.press('Enter');
    await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
    await page.locator('meta[name=theme-color][content="#15171c"]').waitFor({ state: 'attached' });
    await palette.waitFor({ state: 'detached' });
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Start a new conversation').waitFor();
    expect(await findings(page)).toEqual([]);
    await screenshot(page, 'shortcuts-dark');
    await browser.leave(page);
  });

  it('opens the menu on a phone; creates and selects a workspace', async () => {
    const { browser } = fixtures();
    const page = await browser.signedIn('/', { phone: true, dark: true });
    await page.getByRole('button', { name: 'Open menu' }).click();
    await page.getByRole('button', { name: 'Workspace: Personal' }).click();
    await page.getByRole('menuitem', { name: 'New workspace' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Garden');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('button', { name: 'Open menu' }).click();
    await page.getByRole('button', { name: 'Workspace: Garden' }).waitFor();
    await screenshot(page, 'menu-phone-dark');
    expect(await findings(page)).toEqual([]);
    await browser.leave(page);
  });
}
