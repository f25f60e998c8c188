import { expect, it } from 'vitest';
import { findings } from './accessibility.ts';
import { screenshot } from './browser.ts';
import type { Fixtures } from './shell.ts';

export function documentationJourneys(fixtures: Fixtures): void {
  it('finds a section of the documentation by its words, on a phone, in dark mode', async () => {
    const { browser } = fixtures();
    const page = await browser.newPage('/docs/users', { phone: true, dark: true });
    await page.getByText('Pages', { exact: true }).waitFor();
    expect(await page.getByRole('navigation', { name: 'Pages' }).isVisible()).toBe(false);
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press('/');
    await page.keyboard.type('idempotency keys');
    await page.getByRole('link', { name: 'Chat API: Repeat a request safely: idempotency keys' }).waitFor();
    await screenshot(page, 'documentation-search');
    expect(await findings(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Chat API', exact: true }).waitFor();
    expect(page.url()).toMatch(/\/docs\/chat-api#repeat-a-request-safely-idempotency-keys$/);
    await browser.leave(page);
  });

  it('shows the documentation on a large screen, and forwards links of older errors', async () => {
    const { browser } = fixtures();
    const page = await browser.newPage('/docs/configuration');
    await page.getByRole('link', { name: 'Configuration' }).waitFor();
    expect(await findings(page)).toEqual([]);
    await screenshot(page, 'documentation');
    await page.goto('/docs#errors-session_locked');
    await page.waitForURL(/\/docs\/api#errors-session_locked$/);
    await page.getByRole('cell', { name: 'session_locked' }).waitFor();
    await browser.leave(page);
  });
}
