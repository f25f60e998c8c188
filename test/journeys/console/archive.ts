import { expect, it } from 'vitest';
import { seriousFindings } from './accessibility.ts';
import { picture } from './browser.ts';
import type { Here } from './shell.ts';

export function archiveJourneys(here: Here): void {
  it('a text is kept, changed under somebody else, found, and exported', async () => {
    const { browser, platform } = here();
    const page = await browser.signedIn('/archive');
    await page.getByRole('button', { name: 'New text' }).click();
    const creating = page.getByRole('dialog', { name: 'New text' });
    await creating.getByLabel('Title').fill('Tea');
    await creating.getByRole('textbox', { name: 'Text' }).fill('Green tea is steeped at **80 °C**.');
    await creating.getByRole('button', { name: 'Keep' }).click();
    await page.getByRole('dialog', { name: 'Tea' }).getByRole('button', { name: 'Edit' }).click();

    const id = new URL(page.url()).pathname.split('/').at(-1);
    await platform.client.call('PATCH', `/archive/units/${id}`, { body: { content: 'Somebody else wrote this.' } });
    const editing = page.getByRole('dialog', { name: 'Tea' });
    await editing.getByRole('textbox', { name: 'Text' }).fill('Black tea is steeped at 95 °C.');
    await editing.getByRole('button', { name: 'Save' }).click();
    await editing.getByRole('alert').getByText('Somebody else wrote this.').waitFor();
    await picture(page, 'archive-conflict');
    await editing.getByRole('button', { name: 'Save' }).click();
    await editing.getByText('Black tea is steeped at 95 °C.').waitFor();
    await editing.getByRole('button', { name: /Tea/ }).first().waitFor();
    await page.keyboard.press('Escape');

    await page.getByRole('textbox', { name: 'Search the archive' }).fill('steeping');
    await page.getByRole('link', { name: /^Tea/ }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    expect((await saved).suggestedFilename()).toBe('archive.ndjson');
    await page.context().close();
  });
}
