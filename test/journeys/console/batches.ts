import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { findings } from './accessibility.ts';
import { screenshot } from './browser.ts';
import type { Fixtures } from './shell.ts';

const saying = (content: string) => ({ body: { messages: [{ role: 'user', content }] } });

export function batchesJourneys(fixtures: Fixtures): void {
  it('follows a batch to its end and downloads its results', async () => {
    const { browser, platform } = fixtures();
    const page = await browser.signedIn('/jobs/batches', { phone: true });
    const { body: batch } = await platform.client.post('/batches', {
      kind: 'chat.completion',
      defaults: { model: 'compatible/echo' },
      items: [saying('One'), saying('Two'), { after: ['0'], ...saying('Three') }],
    });
    const card = page.getByRole('article', { name: 'Answer, completed' });
    await card.getByText('3 of 3 done').waitFor();
    expect(await findings(page)).toEqual([]);
    await screenshot(page, 'batches-phone');
    const saving = page.waitForEvent('download');
    await card.getByRole('button', { name: 'Download results' }).click();
    const file = await saving;
    expect(file.suggestedFilename()).toBe(`${batch.id}.ndjson`);
    const lines = (await readFile(await file.path(), 'utf8')).trim().split('\n');
    const texts = lines.map((line) => JSON.parse(line).execution.output[0].text);
    expect(texts.sort()).toEqual(['One', 'Three', 'Two']);
    await card.getByRole('link', { name: 'View jobs' }).click();
    await expect.poll(() => page.getByRole('list', { name: 'Jobs' }).getByRole('listitem').count()).toBe(3);
    await browser.leave(page);
  });
}
