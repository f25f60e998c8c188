import { expect, it } from 'vitest';
import { findings } from './accessibility.ts';
import { screenshot } from './browser.ts';
import type { Fixtures } from './shell.ts';

export function operatorJourneys(fixtures: Fixtures): void {
  it('shows the queues, and retries and cancels jobs, to operators', async () => {
    const { browser, platform } = fixtures();
    const { client } = platform;
    const failed = await client.start({ message: 'Fail', model: 'compatible/refuse' });
    await client.waitForJob(failed.id);
    const page = await browser.signedIn('/jobs');
    await page.getByRole('link', { name: 'Queues' }).click();
    await page.getByRole('listitem', { name: 'Chat and text' }).getByText('finished per minute').waitFor();
    await page
      .getByRole('button', { name: /^Retry: Answer/ })
      .first()
      .waitFor();
    await screenshot(page, 'queues');
    await page.getByRole('button', { name: 'Retry all' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Retry all' }).click();
    const retryOf = async () =>
      (await client.get('/jobs?limit=100')).body.data.map((job: { retry_of: string }) => job.retry_of);
    await expect.poll(retryOf).toContain(failed.id);

    const running = await client.start({ message: 'Count', model: 'compatible/words-5000-delay-20' });
    await page.getByText('Waiting and running', { exact: true }).click();
    // The newest is last.
    const row = page.getByRole('listitem').filter({ hasText: 'words-5000-delay-20' }).last();
    await row.getByRole('button', { name: /^Cancel: Answer/ }).click();
    await expect.poll(async () => (await client.get(`/jobs/${running.id}`)).body.status).toBe('cancelled');
    await browser.leave(page);
  });

  it('shows operators that a provider refused the key, and resumes its lane', async () => {
    const { browser, platform } = fixtures();
    const { client, fake } = platform;
    const model = 'compatible/words-3';
    fake.limits.change({ keyAccepted: false });
    const waiting = await client.start({ message: 'Wait', model });
    const page = await browser.signedIn('/administration/queues');
    await page.getByRole('alert').getByText('compatible refused the key').waitFor();
    const row = page.getByRole('row', { name: 'words-3' });
    await row.getByText('Stopped: key refused').waitFor();
    await row.getByText('until someone resumes it').waitFor();
    expect(await findings(page)).toEqual([]);
    await screenshot(page, 'lanes');
    const dark = await browser.signedIn('/administration/queues', { dark: true });
    await dark.getByRole('row', { name: 'words-3' }).getByText('Stopped: key refused').waitFor();
    expect(await findings(dark)).toEqual([]);
    await screenshot(dark, 'lanes-dark');
    await browser.leave(dark);

    fake.limits.change({ keyAccepted: true });
    await row.getByRole('button', { name: `Resume: ${model}` }).click();
    await expect.poll(async () => (await client.get(`/jobs/${waiting.id}`)).body.status).toBe('succeeded');
    await row.getByText('Open', { exact: true }).waitFor();
    await page.getByRole('alert').getByText('compatible refused the key').waitFor({ state: 'detached' });
    await browser.leave(page);
  });
}
