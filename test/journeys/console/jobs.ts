import { expect, it } from 'vitest';
import { seriousFindings } from './accessibility.ts';
import { picture } from './browser.ts';
import type { Here } from './shell.ts';

export function jobsJourneys(here: Here): void {
  it('what runs is shown as it runs, cancelled, and run again', async () => {
    const { browser, platform } = here();
    const page = await browser.signedIn('/jobs?kind=chat.completion');
    await page.getByText('Live', { exact: true }).waitFor();
    const begun = await platform.client.begin({ message: 'On and on', model: 'compatible/words-5000-delay-20' });
    const first = page.getByRole('list', { name: 'Jobs' }).getByRole('listitem').first();
    await first.getByText('running').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await picture(page, 'jobs');
    await first.getByRole('link').click();
    const drawer = page.getByRole('dialog', { name: 'Answer' });
    await drawer.getByText(/characters/).waitFor();
    await drawer.getByRole('button', { name: 'Cancel' }).click();
    await drawer.getByText('Cancelled', { exact: true }).waitFor();
    await drawer.getByRole('button', { name: 'Run it again' }).click();
    await page.waitForURL((url) => url.pathname.startsWith('/jobs/job_') && !url.pathname.endsWith(begun.id));
    await drawer.getByRole('link', { name: 'What it runs again' }).waitFor();
    await drawer.getByRole('button', { name: 'Cancel' }).click();
    await drawer.getByText('Cancelled', { exact: true }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await picture(page, 'job');
    await page.context().close();
  });

  it('a job that has ended is deleted once that is confirmed', async () => {
    const { browser, platform } = here();
    const { body: job } = await platform.client.chat({ message: 'Say little', model: 'compatible/words-5@deleted' });
    const page = await browser.signedIn(`/jobs/${job.id}`);
    const drawer = page.getByRole('dialog', { name: 'Answer' });
    await drawer.getByRole('button', { name: 'Delete' }).click();
    const question = page.getByRole('dialog', { name: 'Delete this job?' });
    await question.getByText('Its output and history are deleted for good.').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect((await platform.client.get(`/jobs/${job.id}`)).status).toBe(200);
    await drawer.getByRole('button', { name: 'Delete' }).click();
    await question.getByRole('button', { name: 'Delete' }).click();
    await page.waitForURL((url) => url.pathname === '/jobs');
    expect((await platform.client.get(`/jobs/${job.id}`)).status).toBe(404);
    await page.context().close();
  });
}
