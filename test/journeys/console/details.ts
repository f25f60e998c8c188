import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { findings } from './accessibility.ts';
import { navigate, screenshot } from './browser.ts';
import type { Fixtures } from './shell.ts';

const send = async (page: Page, text: string) => {
  await page.getByRole('textbox', { name: 'Message' }).fill(text);
  await page.keyboard.press('Enter');
};

const tabTitle = (page: Page) => expect.poll(() => page.title());

export function detailsJourneys(fixtures: Fixtures): void {
  it('shows the page title in the tab, and returns the focus after dialogs', async () => {
    const { browser } = fixtures();
    const page = await browser.signedIn('/settings/keys', { model: 'compatible/echo' });
    await tabTitle(page).toBe('API keys · Settings · Chorus');
    await navigate(page, '/jobs');
    await tabTitle(page).toBe('Jobs · Chorus');
    await navigate(page, '/chat');
    await tabTitle(page).toBe('New conversation · Chat · Chorus');
    await send(page, 'Tides of the Baltic');
    await page.waitForURL(/\/chat\/ses_/);
    await tabTitle(page).toBe('Tides of the Baltic · Chat · Chorus');
    const options = page.getByRole('navigation').getByRole('button', { name: 'Options for Tides of the Baltic' });
    await options.click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Tides');
    await page.keyboard.press('Enter');
    await tabTitle(page).toBe('Tides · Chat · Chorus');
    await expect.poll(() => page.evaluate('document.activeElement.ariaLabel')).toBe('Options for Tides');
    await browser.leave(page);
  });

  it('saves a prompt and fills it in', async () => {
    const { browser } = fixtures();
    const page = await browser.signedIn('/settings/prompts');
    await page.getByRole('button', { name: 'New prompt' }).click();
    await page.getByLabel('Name').fill('Translate');
    await page.getByLabel('Text', { exact: false }).last().fill('Say {{text}} in {{language}}: {{text}}');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('article', { name: 'Translate' }).waitFor();
    await navigate(page, '/chat');
    const message = page.getByRole('textbox', { name: 'Message' });
    await message.fill('/tra');
    await page.getByRole('option', { name: /^Translate/, selected: true }).waitFor();
    expect(await findings(page)).toEqual([]);
    await screenshot(page, 'chat-prompts');
    await message.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Translate' });
    await dialog.getByLabel('text').fill('good morning');
    await dialog.getByLabel('language').fill('Danish');
    await dialog.getByRole('button', { name: 'Insert' }).click();
    await expect.poll(() => message.inputValue()).toBe('Say good morning in Danish: good morning');
    await expect.poll(() => page.evaluate('document.activeElement.ariaLabel')).toBe('Message');
    await message.fill('/tra');
    await page.getByRole('option').waitFor();
    await message.press('Escape');
    await page.getByRole('option').waitFor({ state: 'detached' });
    expect(await message.inputValue()).toBe('/tra');
    await browser.leave(page);
  });

  it('shows in each tab what another one renames and deletes, and keeps what was written there', async () => {
    const { browser, platform } = fixtures();
    const { session_id } = (await platform.client.chat({ message: 'Harbours', model: 'compatible/echo' })).body;
    const page = await browser.signedIn(`/chat/${session_id}`, { model: 'compatible/echo' });
    await page.getByText('Live', { exact: true }).waitFor();
    await tabTitle(page).toBe('Harbours · Chat · Chorus');
    await platform.client.call('PATCH', `/sessions/${session_id}`, { body: { title: 'Piers' } });
    await tabTitle(page).toBe('Piers · Chat · Chorus');
    const row = page.getByRole('navigation', { name: 'Conversations' }).getByText('Piers', { exact: true });
    await row.waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('Written meanwhile');
    await platform.client.call('DELETE', `/sessions/${session_id}`);
    await page.getByText('This conversation was deleted').waitFor();
    await row.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Start a new conversation' }).click();
    await expect.poll(() => page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('Written meanwhile');
    await browser.leave(page);
  });

  it('opens pages offline that were not opened before', async () => {
    const { browser } = fixtures();
    const page = await browser.signedIn('/chat', { fetchesAll: true });
    const files: string[] = await (await page.request.get('/files.json')).json();
    const needed = files.filter((name) => !/messages-(?!en-)/.test(name));
    const missing = () =>
      page.evaluate(
        `${JSON.stringify(needed)}.filter((name) => performance.getEntriesByName(new URL(name, document.baseURI)).length === 0)`,
      );
    await expect.poll(missing).toEqual([]);
    await page.context().setOffline(true);
    await navigate(page, '/archive');
    await page.getByRole('heading', { name: 'Archive' }).waitFor();
    await navigate(page, '/studio/images');
    await page.getByRole('button', { name: 'Create image' }).waitFor();
    await browser.leave(page);
  });

  it('shows mistakes at their fields, names unsupported files, and shows no progress after a failure', async () => {
    const { browser } = fixtures();
    const page = await browser.signedIn('/settings/tools', { model: 'compatible/refuse' });
    await page.getByRole('button', { name: 'Add server' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add MCP server' });
    await dialog.getByLabel('Name').fill('Files');
    await dialog.getByLabel('Address').fill('http://10.0.0.1/mcp');
    await page.keyboard.press('Enter');
    await expect.poll(() => dialog.getByLabel('Address').getAttribute('aria-invalid')).toBe('true');
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.keyboard.press('Escape');

    await navigate(page, '/knowledge');
    const file = { name: 'backup.iso', mimeType: 'application/x-iso9660-image', buffer: Buffer.from('CD001') };
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByText('“backup.iso” has an unsupported type').waitFor();

    await navigate(page, '/chat');
    // The stored message lags behind the events.
    await page.route(/\/messages\?/, async (route) => {
      const answer = await route.fetch();
      await route.fulfill({
        response: answer,
        body: (await answer.text()).replace('"status":"failed"', '"status":"running"'),
      });
    });
    await send(page, 'Anything');
    const article = page.getByRole('article', { name: 'Answer' });
    await article.waitFor({ state: 'attached' });
    await expect.poll(() => article.locator('.mantine-Loader-root').count()).toBe(0);
    expect(await article.getAttribute('aria-busy')).toBe('true');
    // `unroute` would not wait for an answer that is being fetched, and fulfilling it later throws.
    await page.unrouteAll({ behavior: 'wait' });
    await page.reload();
    await article.getByText('This answer failed').waitFor();
    await browser.leave(page);
  });
}
