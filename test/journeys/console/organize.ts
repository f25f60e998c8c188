import { readFile } from 'node:fs/promises';
import { TINY_PNG } from '@chorus/testing';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { findings } from './accessibility.ts';
import { navigate, screenshot } from './browser.ts';
import type { Fixtures } from './shell.ts';

const listOf = (page: Page) => page.getByRole('navigation', { name: 'Conversations' });
const titlesOf = (page: Page) => listOf(page).getByRole('listitem').allInnerTexts();

export function organizeJourneys(fixtures: Fixtures): void {
  it('selects conversations, archives, moves, and deletes them, and follows other tabs', async () => {
    const { browser, platform } = fixtures();
    const ids: string[] = [];
    for (const title of ['Oaks', 'Elms', 'Firs', 'Pines'])
      ids.push((await platform.client.call('POST', '/sessions', { body: { title } })).body.id);
    const page = await browser.signedIn('/chat');
    const list = listOf(page);
    const row = (title: string) => list.getByRole('listitem').filter({ hasText: title });
    const show = async (view: string) => {
      await list.getByRole('button', { name: /^Show:/ }).click();
      await page.getByRole('menuitem', { name: view, exact: true }).click();
    };
    await row('Pines').waitFor();
    // Pinned conversations of other journeys may come first.
    expect((await titlesOf(page)).filter((text) => text.startsWith('Today'))).toEqual(['Today\nPines']);
    await page.getByText('Live', { exact: true }).waitFor();

    await show('New folder');
    await page.getByRole('dialog', { name: 'New folder' }).getByRole('textbox', { name: 'Name' }).fill('Conifers');
    await page.keyboard.press('Enter');
    await page.getByText('This folder is empty').waitFor();
    await show('All conversations');

    await list.getByRole('button', { name: 'Select conversations' }).click();
    await list.getByRole('checkbox', { name: 'Pines' }).click();
    await row('Elms')
      .getByText('Elms')
      .click({ modifiers: ['Shift'] });
    await list.getByText('3 selected').waitFor();
    expect(await findings(page)).toEqual([]);
    await screenshot(page, 'chat-selection');
    await list.getByRole('button', { name: 'Move to folder' }).click();
    const dialog = page.getByRole('dialog', { name: 'Move to folder' });
    await dialog.getByRole('combobox', { name: 'Folder' }).click();
    await page.getByRole('option', { name: 'Conifers' }).click();
    await dialog.getByRole('button', { name: 'Move' }).click();
    await dialog.waitFor({ state: 'detached' });
    await show('Conifers');
    await expect.poll(() => titlesOf(page)).toEqual(['Today\nPines', 'Firs', 'Elms']);

    await list.getByRole('button', { name: 'Select conversations' }).click();
    await list.getByRole('checkbox', { name: 'Select all' }).click();
    await list.getByRole('checkbox', { name: 'Elms' }).click();
    await list.getByRole('button', { name: 'Archive', exact: true }).click();
    await expect.poll(() => titlesOf(page)).toEqual(['Today\nElms']);
    await show('Archived');
    await expect.poll(() => titlesOf(page)).toEqual(['Today\nPines', 'Firs']);
    await screenshot(page, 'chat-archived');

    await row('Pines')
      .getByRole('button', { name: /^Options/ })
      .click();
    await page.getByRole('menuitem', { name: 'Unarchive' }).click();
    await expect.poll(() => titlesOf(page)).toEqual(['Today\nFirs']);
    // Another tab.
    await platform.client.call('PATCH', `/sessions/${ids[0]}`, { body: { archived: true } });
    await expect.poll(() => titlesOf(page)).toEqual(['Today\nFirs', 'Oaks']);
    await list.getByRole('button', { name: 'Select conversations' }).click();
    await list.getByRole('checkbox', { name: 'Select all' }).click();
    await list.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog', { name: 'Delete 2 conversations?' }).getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Nothing archived').waitFor();

    await show('Conifers');
    await list.getByRole('button', { name: /^Show:/ }).click();
    await page.getByRole('menuitem', { name: 'Delete this folder' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await list.getByRole('button', { name: 'Show: All conversations' }).waitFor();
    await row('Elms').waitFor();
    expect((await platform.client.call('GET', '/folders')).body.data).toEqual([]);
    for (const id of [ids[1], ids[3]]) await platform.client.call('DELETE', `/sessions/${id}`);
    browser.keep(page);
  });

  it('shares a conversation with people who are not signed in, until the link is revoked', async () => {
    const { browser, platform } = fixtures();
    const form = new FormData();
    form.set('file', new Blob([TINY_PNG]), 'private name.png');
    const uploaded = await fetch(`${platform.apis[0]?.url}/api/v1/assets`, {
      method: 'POST',
      headers: { authorization: `Bearer ${platform.client.token}`, 'x-scope-type': 'personal' },
      body: form,
    });
    const attachments = [((await uploaded.json()) as { id: string }).id];
    const message = 'What is **this**?';
    const { session_id } = (await platform.client.chat({ message, attachments, model: 'compatible/echo' })).body;
    const page = await browser.signedIn(`/chat/${session_id}`);
    await page
      .getByRole('region', { name: 'Conversation' })
      .getByRole('button', { name: /^Options for/ })
      .click();
    await page.getByRole('menuitem', { name: 'Share' }).click();
    const dialog = page.getByRole('dialog', { name: 'Share this conversation' });
    await dialog.getByText('There are no links').waitFor();
    await screenshot(page, 'share-dialog');
    await dialog.getByRole('button', { name: 'Create link' }).click();
    const link = String(await dialog.getByRole('link', { name: 'Open the page' }).getAttribute('href'));
    expect(await findings(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Done' }).click();

    const stranger = await browser.newPage(new URL(link).pathname);
    await stranger.getByRole('heading', { level: 1, name: message }).waitFor();
    await stranger.getByRole('article', { name: 'Question' }).getByText(message).waitFor();
    await stranger.getByRole('article', { name: 'Answer' }).locator('strong', { hasText: 'this' }).waitFor();
    const isShown = 'document.querySelector("article img").naturalWidth > 0';
    await expect.poll(() => stranger.evaluate(isShown)).toBe(true);
    expect(await stranger.content()).not.toContain('private name');
    expect(await stranger.evaluate('Object.keys(localStorage)')).toEqual([]);
    expect(await findings(stranger)).toEqual([]);
    await screenshot(stranger, 'shared');
    await stranger.emulateMedia({ colorScheme: 'dark' });
    await stranger.setViewportSize({ width: 390, height: 844 });
    expect(await findings(stranger)).toEqual([]);
    await screenshot(stranger, 'shared-phone-dark');
    const answer = await fetch(link, { headers: { accept: 'text/html' } });
    expect(answer.headers.get('x-robots-tag')).toBe('noindex');
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'; style-src");

    await navigate(page, '/settings/data');
    const revoke = page.getByRole('button', { name: `Revoke the link to ${message}` });
    await revoke.waitFor();
    await screenshot(page, 'settings-data');
    await revoke.click();
    await page.getByText('Nothing is shared').waitFor();
    await stranger.reload();
    await stranger.getByRole('heading', { name: 'This link does not work' }).waitFor();
    await browser.leave(stranger);
    browser.keep(page);
  });

  it('imports conversations of another program once, reports problems with others, and exports them', async () => {
    const { browser, platform } = fixtures();
    const page = await browser.signedIn('/settings/data');
    const messages = {
      q: { parentId: null, role: 'user', content: 'Why do cats purr?', timestamp: 1_700_000_000 },
      a: { parentId: 'q', role: 'assistant', content: 'Nobody is *sure*.', timestamp: 1_700_000_010 },
    };
    const chat = { history: { currentId: 'a', messages } };
    const cats = { id: 'w1', title: 'Purring cats', chat, created_at: 1_700_000_000, updated_at: 1_700_000_010 };
    const chooseFile = async (name: string, content: unknown) => {
      const text = typeof content === 'string' ? content : JSON.stringify(content);
      const buffer = Buffer.from(text);
      await page.locator('input[type=file]').setInputFiles({ name, mimeType: 'application/json', buffer });
    };
    await chooseFile('chats.json', [cats, { title: 'Broken', create_time: 1 }]);
    await page.getByText('1 conversation imported').waitFor();
    await page.getByText('“Broken”: mapping is required').waitFor();
    expect(await findings(page)).toEqual([]);
    await screenshot(page, 'settings-import');
    await chooseFile('chats.json', [cats]);
    await page.getByText('1 was already there.').waitFor();
    await chooseFile('export.zip', 'PK');
    await page.getByText('The file is not JSON').waitFor();

    await navigate(page, '/chat');
    const row = listOf(page).getByRole('listitem').filter({ hasText: 'Purring cats' });
    await listOf(page).getByText('November 2023').waitFor();
    await row.getByRole('link').click();
    await page.getByRole('article', { name: 'Answer' }).locator('em', { hasText: 'sure' }).waitFor();
    await row.getByRole('button', { name: /^Options/ }).click();
    const downloading = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'Export as Markdown' }).click();
    const file = await downloading;
    expect(file.suggestedFilename()).toBe('Purring cats.md');
    expect(await readFile(await file.path(), 'utf8')).toContain('## Answer\n\nNobody is *sure*.');
    await platform.client.call('DELETE', new URL(page.url()).pathname.replace('/chat/', '/sessions/'));
    await browser.leave(page);
  });
}
