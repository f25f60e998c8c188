import { expect, it } from 'vitest';
import { screenshot } from './browser.ts';
import type { Fixtures } from './shell.ts';

export function operatorJourneys(fixtures: Fixtures): void {
  it('opens the read-only queue dashboard in a new tab for operators', async () => {
    const { browser } = fixtures();
    const page = await browser.signedIn('/jobs');
    const opening = page.context().waitForEvent('page');
    await page.getByRole('button', { name: 'Queues' }).click();
    const tab = await opening;
    tab.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) browser.pageErrors.push(`queues: ${message.text()}`);
    });
    await tab.waitForURL((url) => url.pathname === '/queues/');
    await tab.getByRole('link', { name: 'knowledge' }).first().waitFor();
    await screenshot(tab, 'queues');
    const pausing = tab.evaluate("fetch('api/queues/pause', { method: 'PUT' }).then(({ status }) => status)");
    expect(await pausing).toBe(405);
    const cookies = (await page.context().cookies()).filter(({ name }) => name === 'chorus_queues');
    expect(cookies).toMatchObject([{ name: 'chorus_queues', path: '/queues', httpOnly: true, sameSite: 'Strict' }]);
    await page.context().close();
  });
}
