import { expect, it } from 'vitest';
import { findings } from './accessibility.ts';
import { screenshot } from './browser.ts';
import type { Fixtures } from './shell.ts';

export function jobsJourneys(fixtures: Fixtures): void {
  it('shows a running job, cancels it, and runs it again', async () => {
    const { browser, platform } = fixtures();
    const page = await browser.signedIn('/jobs?kind=chat.completion');
    await page.getByText('Live', { exact: true }).waitFor();
    const begun = await platform.client.start({ message: 'On and on', model: 'compatible/words-5000-delay-20' });
    const first = page.getByRole('list', { name: 'Jobs' }).getByRole('listitem').first();
    await first.getByText('running').waitFor();
    await screenshot(page, 'jobs');
    await first.getByRole('link').click();
    const drawer = page.getByRole('dialog', { name: 'Answer' });
    await drawer.getByText(/characters/).waitFor();
    await drawer.getByRole('button', { name: 'Cancel' }).click();
    await drawer.getByText('Cancelled', { exact: true }).first().waitFor();
    await drawer.getByRole('button', { name: 'Run again' }).click();
    await page.waitForURL((url) => url.pathname.startsWith('/jobs/job_') && !url.pathname.endsWith(begun.id));
    await drawer.getByRole('link', { name: 'View original job' }).waitFor();
    await drawer.getByRole('button', { name: 'Cancel' }).click();
    await drawer.getByText('Cancelled', { exact: true }).first().waitFor();
    expect(await findings(page)).toEqual([]);
    await screenshot(page, 'job');
    await browser.leave(page);
  });

  it('deletes a finished job after confirmation', async () => {
    const { browser, platform } = fixtures();
    const { body: job } = await platform.client.chat({ message: 'Say little', model: 'compatible/words-5@deleted' });
    const page = await browser.signedIn(`/jobs/${job.id}`);
    const drawer = page.getByRole('dialog', { name: 'Answer' });
    await drawer.getByRole('button', { name: 'Delete' }).click();
    const question = page.getByRole('dialog', { name: 'Delete this job?' });
    await question.getByText('Its output and history are deleted permanently.').waitFor();
    expect(await findings(page)).toEqual([]);
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect((await platform.client.get(`/jobs/${job.id}`)).status).toBe(200);
    await drawer.getByRole('button', { name: 'Delete' }).click();
    await question.getByRole('button', { name: 'Delete' }).click();
    await page.waitForURL((url) => url.pathname === '/jobs');
    expect((await platform.client.get(`/jobs/${job.id}`)).status).toBe(404);
    await browser.leave(page);
  });
}
