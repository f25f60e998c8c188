import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { findings } from './accessibility.ts';
import { screenshot } from './browser.ts';
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
    const name = dialog.getByRole('textbox', { name: 'Name' });
    if ((await name.count()) === 0) {
      await dialog.getByRole('combobox', { name: 'Folder' }).click();
      await page.getByRole('option', { name: 'New folder…' }).click();
    }
    await name.fill('Conifers');
    await screenshot(page, 'chat-move');
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
    await page.context().close();
  });
}
