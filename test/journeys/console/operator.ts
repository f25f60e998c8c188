import { expect, it } from 'vitest';
import { picture } from './browser.ts';
import type { Here } from './shell.ts';

export function operatorJourneys(here: Here): void {
  it('an operator opens the queues in a tab of their own, and can only look', async () => {
    const { browser } = here();
    const page = await browser.signedIn('/jobs');
    const opening = page.context().waitForEvent('page');
    await page.getByRole('button', { name: 'Queues' }).click();
    const tab = await opening;
    tab.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) browser.complaints.push(`queues: ${message.text()}`);
    });
    await tab.waitForURL((url) => url.pathname === '/queues/');
    await tab.getByRole('link', { name: 'knowledge' }).first().waitFor();
    await picture(tab, 'queues');
    const pausing = tab.evaluate("fetch('api/queues/pause', { method: 'PUT' }).then(({ status }) => status)");
    expect(await pausing).toBe(405);
    const cookies = (await page.context().cookies()).filter(({ name }) => name === 'chorus_queues');
    expect(cookies).toMatchObject([{ name: 'chorus_queues', path: '/queues', httpOnly: true, sameSite: 'Strict' }]);
    await page.context().close();
  });
}
