import { readFile } from 'node:fs/promises';
import { TINY_PNG } from '@chorus/testing';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { findings } from './accessibility.ts';
import { navigate, screenshot } from './browser.ts';
import type { Fixtures } from './shell.ts';

const box = (page: Page) => page.getByRole('textbox', { name: 'Message' });
const statusOf = async ({ platform }: ReturnType<Fixtures>, id: string) =>
  (await platform.client.call('GET', `/sessions/${id}`)).status;

/** Erased by maintenance while the other journeys run. */
const LEAVING = 'leaving@example.com';

export function personalJourneys(fixtures: Fixtures): void {
  it('downloads the data of an account, and deletes it with the password', async () => {
    const { browser, platform } = fixtures();
    const password = 'correct horse battery';
    const { token } = (await platform.client.call('POST', '/users/invitations', { body: { email: LEAVING } })).body;
    const body = { token, password };
    await platform.client.call('POST', '/invitations/accept', { body, headers: { authorization: null } });
    const page = await browser.newPage('/settings/account');
    await browser.signIn(page, { email: LEAVING, password });
    const section = page.getByRole('region', { name: 'Your data' });
    const downloading = page.waitForEvent('download');
    await section.getByRole('button', { name: 'Download my data' }).click();
    const file = await downloading;
    expect(file.suggestedFilename()).toMatch(/^chorus-[\d-]+\.zip$/);
    expect((await readFile(await file.path())).subarray(0, 2).toString()).toBe('PK');

    await section.getByRole('button', { name: 'Delete my account' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete your account?' });
    await dialog.getByLabel('Current password').fill('wrong');
    expect(await findings(page)).toEqual([]);
    await screenshot(page, 'settings-delete-account');
    await dialog.getByRole('button', { name: 'Delete my account' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Current password').fill(password);
    await dialog.getByRole('button', { name: 'Delete my account' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await browser.leave(page);
  });

  it('says before sending that a model cannot see an image', async () => {
    const { browser } = fixtures();
    const page = await browser.signedIn('/chat');
    const file = { name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from(TINY_PNG) };
    await page.locator('input[type=file]').setInputFiles(file);
    await box(page).fill('What is this?');
    const notice = page.getByRole('alert').filter({ hasText: 'embedded/assistant can’t see images.' });
    await notice.waitFor();
    expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
    expect(await findings(page)).toEqual([]);
    await screenshot(page, 'chat-image-notice');
    await page.getByRole('combobox', { name: 'Model' }).click();
    await page.getByRole('option', { name: 'compatible/echo' }).click();
    await notice.waitFor({ state: 'detached' });
    await expect.poll(() => page.getByRole('button', { name: 'Send' }).isEnabled()).toBe(true);
    await browser.leave(page);
  });

  it('follows custom instructions where they are on, and erases a temporary chat on leaving it', async () => {
    const all = fixtures();
    const page = await all.browser.signedIn('/settings/account', { model: 'compatible/echo' });
    const section = page.getByRole('region', { name: 'Custom instructions' });
    await section.getByLabel('How should they answer?').fill('In one word.');
    expect(await findings(page)).toEqual([]);
    await screenshot(page, 'settings-instructions');
    await section.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Custom instructions saved.').waitFor();

    await navigate(page, '/chat');
    await page.getByRole('button', { name: 'Temporary chat' }).click();
    await page.getByRole('note', { name: 'Temporary chat' }).waitFor();
    const sent = page.waitForRequest(/\/chat\/completions$/);
    await box(page).fill('Nothing is kept');
    await page.keyboard.press('Enter');
    expect((await sent).postDataJSON()).toMatchObject({ temporary: true, custom_instructions: true });
    await page.waitForURL(/\/chat\/ses_/);
    await page.getByRole('article', { name: 'Answer' }).waitFor();
    await page.getByRole('button', { name: 'Custom instructions', pressed: true }).click();
    const again = page.waitForRequest(/\/chat\/completions$/);
    await box(page).fill('Nor is this');
    await page.keyboard.press('Enter');
    expect((await again).postDataJSON().custom_instructions).toBeUndefined();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    expect(await findings(page)).toEqual([]);
    await screenshot(page, 'chat-temporary');
    const list = page.getByRole('navigation', { name: 'Conversations' });
    expect(await list.getByText('Nothing is kept').count()).toBe(0);
    const id = String(new URL(page.url()).pathname.split('/').at(-1));
    expect(await statusOf(all, id)).toBe(200);
    await navigate(page, '/jobs');
    await expect.poll(() => statusOf(all, id)).toBe(404);
    await all.platform.client.call('PATCH', '/me/instructions', { body: { answer_style: '' } });

    const { body } = await all.platform.client.chat({ message: 'Tides', temporary: true, model: 'compatible/echo' });
    await navigate(page, `/chat/${body.session_id}`);
    await page.getByRole('button', { name: 'Keep this chat' }).click();
    await list.getByText('Tides').waitFor();
    await navigate(page, '/jobs');
    expect((await all.platform.client.call('GET', `/sessions/${body.session_id}`)).body.temporary).toBe(false);
    await all.browser.leave(page);
  });

  it('compares two models, continues with one, and shares up to its answer', async () => {
    const { browser, platform } = fixtures();
    const page = await browser.signedIn('/chat');
    await page.getByRole('link', { name: 'Compare models' }).click();
    for (const [number, model] of ['compatible/echo', 'embedded/assistant'].entries()) {
      await page.getByRole('combobox', { name: `Model ${number + 1}` }).click();
      await page.getByRole('option', { name: model, exact: true }).click();
    }
    await page.getByRole('textbox', { name: 'Question' }).fill('Which sea is saltiest?');
    await page.keyboard.press('Enter');
    const column = (model: string) => page.getByRole('region', { name: model });
    const goOn = (model: string) => column(model).getByRole('button', { name: 'Continue with this one' });
    await expect.poll(() => goOn('embedded/assistant').isEnabled()).toBe(true);
    await expect.poll(() => goOn('compatible/echo').isEnabled()).toBe(true);
    expect(await findings(page)).toEqual([]);
    await screenshot(page, 'chat-compare');
    const list = page.getByRole('navigation', { name: 'Conversations' });
    expect(await list.getByText('Which sea is saltiest?').count()).toBe(0);
    await goOn('compatible/echo').click();
    await page.waitForURL(/\/chat\/ses_/);
    await list.getByText('Which sea is saltiest?').waitFor();

    const answer = page.getByRole('article', { name: 'Answer' });
    await answer.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Share up to here' }).click();
    const dialog = page.getByRole('dialog', { name: 'Share this conversation' });
    await dialog.getByText('The link ends with this message.').waitFor();
    const shared = page.waitForRequest(/\/shares$/);
    await dialog.getByRole('button', { name: 'Create link' }).click();
    expect((await shared).postDataJSON().message_id).toMatch(/^msg_/);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await platform.client.call('DELETE', new URL(page.url()).pathname.replace('/chat/', '/sessions/'));
    await browser.leave(page);
  });

  it('has erased the deleted account', async () => {
    const { platform } = fixtures();
    const users = async () => (await platform.client.call('GET', '/users?limit=100')).body.data;
    const emails = async () => (await users()).map((user: { email: string }) => user.email);
    await expect.poll(emails, { timeout: 60_000 }).not.toContain(LEAVING);
  });
}
