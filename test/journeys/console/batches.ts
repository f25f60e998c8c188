import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { seriousFindings } from './accessibility.ts';
import { picture } from './browser.ts';
import type { Here } from './shell.ts';

const saying = (content: string) => ({ body: { messages: [{ role: 'user', content }] } });

export function batchesJourneys(here: Here): void {
  it('a batch is followed to its end, and what it made is saved', async () => {
    const { browser, platform } = here();
    const page = await browser.signedIn('/jobs/batches', { phone: true });
    const { body: batch } = await platform.client.post('/batches', {
      kind: 'chat.completion',
      defaults: { model: 'compatible/echo' },
      items: [saying('One'), saying('Two'), { after: ['0'], ...saying('Three') }],
    });
    const card = page.getByRole('article', { name: 'Answers, completed' });
    await card.getByText('3 of 3 done').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await picture(page, 'batches-phone');
    const saving = page.waitForEvent('download');
    await card.getByRole('button', { name: 'Save the results' }).click();
    const file = await saving;
    expect(file.suggestedFilename()).toBe(`${batch.id}.ndjson`);
    const lines = (await readFile(await file.path(), 'utf8')).trim().split('\n');
    const texts = lines.map((line) => JSON.parse(line).execution.output[0].text);
    expect(texts.sort()).toEqual(['One', 'Three', 'Two']);
    await card.getByRole('link', { name: 'Its jobs' }).click();
    await expect.poll(() => page.getByRole('list', { name: 'Jobs' }).getByRole('listitem').count()).toBe(3);
    await page.context().close();
  });
}
