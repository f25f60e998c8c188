import { expect, it } from 'vitest';
import { screenshot } from './browser.ts';
import type { Fixtures } from './shell.ts';

export function archiveJourneys(fixtures: Fixtures): void {
  it('creates, edits after a concurrent change, finds, and exports an entry', async () => {
    const { browser, platform } = fixtures();
    const page = await browser.signedIn('/archive');
    await page.getByRole('button', { name: 'New entry' }).click();
    const creating = page.getByRole('dialog', { name: 'New entry' });
    await creating.getByLabel('Title').fill('Tea');
    await creating.getByRole('textbox', { name: 'Text' }).fill('Green tea is steeped at **80 °C**.');
    await creating.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog', { name: 'Tea' }).getByRole('button', { name: 'Edit' }).click();

    const id = new URL(page.url()).pathname.split('/').at(-1);
    await platform.client.call('PATCH', `/archive/units/${id}`, { body: { content: 'Somebody else wrote this.' } });
    const editing = page.getByRole('dialog', { name: 'Tea' });
    await editing.getByRole('textbox', { name: 'Text' }).fill('Black tea is steeped at 95 °C.');
    await editing.getByRole('button', { name: 'Save' }).click();
    await editing.getByRole('alert').getByText('Somebody else wrote this.').waitFor();
    await screenshot(page, 'archive-conflict');
    await editing.getByRole('button', { name: 'Save' }).click();
    await editing.getByText('Black tea is steeped at 95 °C.').waitFor();
    await editing.getByRole('button', { name: /Tea/ }).first().waitFor();
    await page.keyboard.press('Escape');

    await page.getByRole('textbox', { name: 'Search archive' }).fill('steeping');
    await page.getByRole('link', { name: /^Tea/ }).waitFor();
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    expect((await saved).suggestedFilename()).toBe('archive.ndjson');
    browser.keep(page);
  });
}
