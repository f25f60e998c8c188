import { expect, it } from 'vitest';
import { findings } from './accessibility.ts';
import { screenshot } from './browser.ts';
import type { Fixtures } from './shell.ts';

const MILL = [
  '# The mill of Harrow',
  '',
  'The mill of Harrow burned down in 1843, in a dry summer. It was built again in 1851 by the brothers Finch.',
].join('\n');

export function knowledgeJourneys(fixtures: Fixtures): void {
  it('uploads, processes, and cites a document', async () => {
    const { browser } = fixtures();
    const page = await browser.signedIn('/knowledge');
    const file = { name: 'mill.md', mimeType: 'text/markdown', buffer: Buffer.from(MILL) };
    await page.locator('input[type=file]').setInputFiles(file);
    const row = page.getByRole('list', { name: 'Documents' }).getByRole('link', { name: /The mill of Harrow/ });
    await row.getByText('ready').waitFor();
    await screenshot(page, 'knowledge');
    await row.click();
    await page
      .getByRole('dialog')
      .getByText(/burned down in 1843/)
      .waitFor();
    await page.keyboard.press('Escape');

    await page.getByRole('link', { name: 'Ask' }).click();
    await page.getByLabel('Question').fill('When did the mill burn down?');
    await page.getByRole('button', { name: 'Ask' }).click();
    await page.getByRole('list', { name: 'Sources' }).getByRole('button').first().click();
    const source = page.getByRole('dialog', { name: 'The mill of Harrow' });
    await source.getByText(/burned down in 1843/).waitFor();
    await source.getByRole('link', { name: 'Open document' }).waitFor();
    expect(await findings(page)).toEqual([]);
    await screenshot(page, 'knowledge-source');
    browser.keep(page);
  });
}
