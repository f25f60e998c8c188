import type { TestIdentityProvider } from '@chorus/testing';
import { expect, it } from 'vitest';
import { findings } from './accessibility.ts';
import { screenshot } from './browser.ts';
import type { Fixtures } from './shell.ts';

export function singleSignOnJourneys(fixtures: Fixtures, provider: () => TestIdentityProvider): void {
  it('signs in at the identity provider, approves a device, and signs out of both', async () => {
    const { browser, platform } = fixtures();
    const { body: device } = await platform.client.post('/auth/device', {});
    const page = await browser.newPage(`/device?code=${device.user_code}`);
    await page.getByRole('button', { name: 'Continue with Example' }).waitFor();
    expect(await findings(page)).toEqual([]);
    await screenshot(page, 'single-sign-on');
    await page.getByRole('button', { name: 'Continue with Example' }).click();

    // Back where the login began.
    await page.getByText(device.user_code, { exact: true }).waitFor();
    await page.getByText(/Requested \w+ \d+, \d{4}, /).waitFor();
    await page.getByText('Approve this only if you started it yourself just now.').waitFor();
    expect(page.url()).not.toContain('sso_');
    await page.getByText(provider().person.email).waitFor();
    expect(await findings(page)).toEqual([]);
    await screenshot(page, 'device');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('The device is signed in.').waitFor();
    const { body: token } = await platform.client.post('/auth/device/token', { device_code: device.device_code });
    expect(token.user.email).toBe(provider().person.email);

    await page.goto(new URL('/', page.url()).href);
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL((url) => url.origin === provider().issuer);
    await browser.leave(page);
  });

  it('deletes an account without a password after a new login at the identity provider', async () => {
    const { browser } = fixtures();
    const someone = provider().person;
    provider().person = { ...someone, sub: 'leaves', email: 'leaves@example.org' };
    const page = await browser.newPage('/settings/account');
    await page.getByRole('button', { name: 'Continue with Example' }).click();
    await page.getByRole('button', { name: 'Delete my account' }).click();
    await page.getByRole('button', { name: 'Confirm with Example' }).click();
    await page.getByText('You confirmed your identity with Example.').waitFor();
    expect(page.url()).not.toContain('sso_');
    expect(await findings(page)).toEqual([]);
    await screenshot(page, 'delete-account-confirmed');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete my account' }).click();
    await page.waitForURL((url) => url.origin === provider().issuer);
    provider().person = someone;
    await browser.leave(page);
  });
}
