import { generateSync } from 'otplib';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { findings } from './accessibility.ts';
import { navigate, screenshot } from './browser.ts';
import type { Fixtures } from './shell.ts';

const FORGET = '**/api/v1/auth/forget';

/** Returns everything that scripts of the page can read. */
const readable = (page: Page) =>
  page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])') as Promise<string>;
const account = (page: Page) => page.getByRole('button', { name: /^Account/ });
const live = (page: Page) => page.getByText('Live', { exact: true });
const signOut = async (page: Page) => {
  await account(page).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
};

async function invite(fixtures: Fixtures, email: string): Promise<string> {
  const { client } = fixtures().platform;
  const { body: workspace } = await client.post('/workspaces', { name: 'Navy' });
  const { status, body } = await client.post(`/workspaces/${workspace.id}/invitations`, { email });
  expect(status).toBe(200);
  return body.token;
}

export function signInJourneys(fixtures: Fixtures): void {
  it('hides the refresh token from scripts and keeps it across reloads and tabs', async () => {
    const { browser } = fixtures();
    const page = await browser.newPage('/');
    await browser.signIn(page);
    await live(page).waitFor();
    expect(await readable(page)).toMatch(/^\["?.*chorus\.login/);
    expect(await readable(page)).not.toMatch(/chr_|eyJ/);
    const [cookie, ...more] = await page.context().cookies();
    expect(cookie).toMatchObject({ path: '/api/v1/auth', httpOnly: true, sameSite: 'Strict' });
    expect([cookie?.name.startsWith('chorus_login'), more]).toEqual([true, []]);

    await page.reload();
    await live(page).waitFor();
    // Each tab keeps a stream open, and a browser allows six connections.
    const tabs = await Promise.all(Array.from({ length: 3 }, () => page.context().newPage()));
    await Promise.all(tabs.map((tab) => tab.goto('/')));
    for (const tab of tabs) await live(tab).waitFor();
    await Promise.all(tabs.map((tab) => tab.reload()));
    for (const tab of tabs) await live(tab).waitFor();
    await page.reload();
    await live(page).waitFor();
    await browser.leave(page);
  });

  it('moves a login left in storage by an earlier version into the cookie', async () => {
    const { browser, platform } = fixtures();
    const login = await fetch(`${platform.apis[0]?.url}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(platform.login),
    });
    const { access_token, refresh_token, user } = (await login.json()) as Record<string, unknown>;
    const stored = { accessToken: access_token, refreshToken: refresh_token, expiresAt: Date.now() + 900_000, user };
    const page = await browser.newPage('/', {}, { 'chorus.login': stored });
    await live(page).waitFor();
    expect(await readable(page)).not.toMatch(/chr_|eyJ/);
    await page.reload();
    await live(page).waitFor();
    await browser.leave(page);
  });

  it('starts while the API is unreachable and recovers when it is back', async () => {
    const { browser } = fixtures();
    const page = await browser.signedIn('/');
    await live(page).waitFor();
    await page.route('**/api/v1/**', (route) => route.abort());
    await page.reload();
    await account(page).waitFor();
    await page.getByText('The server cannot be reached').first().waitFor();
    expect(await page.getByRole('button', { name: 'Sign in' }).count()).toBe(0);
    await page.unrouteAll({ behavior: 'wait' });
    await page.getByRole('button', { name: 'Try again' }).first().click();
    await page.getByText('The server cannot be reached').waitFor({ state: 'detached' });
    await page.reload();
    await live(page).waitFor();
    await browser.leave(page);
  });

  it('signs out without the server and reports it later', async () => {
    const { browser } = fixtures();
    const page = await browser.signedIn('/');
    await live(page).waitFor();
    await page.route(FORGET, (route) => route.abort());
    await signOut(page);
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await page.context().cookies()).toHaveLength(1);
    await page.unrouteAll({ behavior: 'wait' });
    const forgotten = page.waitForResponse(FORGET);
    await page.reload();
    expect((await forgotten).status()).toBe(200);
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await expect.poll(() => page.context().cookies()).toEqual([]);
    await browser.leave(page);
  });

  it('lists devices and signs out another one', async () => {
    const { browser } = fixtures();
    const login = { email: 'rosalind@example.org', password: 'a password of Rosalind' };
    const page = await browser.newPage(`/invitation#${await invite(fixtures, login.email)}`);
    await page.locator('input[name=password]').fill(login.password);
    await page.getByRole('button', { name: 'Create account' }).click();
    await live(page).waitFor();
    const [phone, laptop] = [await browser.newPage('/', { phone: true }), await browser.newPage('/')];
    for (const other of [phone, laptop]) {
      await browser.signIn(other, login);
      await other.getByRole('textbox', { name: 'Message' }).waitFor();
    }
    await navigate(page, '/settings/account');
    const devices = page.getByRole('region', { name: 'Devices' });
    const rows = devices.getByRole('row').filter({ hasText: 'Chrome on Linux' });
    await expect.poll(() => rows.count()).toBe(3);
    expect(await rows.filter({ hasText: 'This device' }).count()).toBe(1);
    expect(await findings(page)).toEqual([]);
    await devices.scrollIntoViewIfNeeded();
    await screenshot(page, 'settings-account');
    // The newest is first.
    await rows.first().getByRole('button', { name: 'Sign out' }).click();
    await laptop.getByRole('button', { name: 'Sign in' }).waitFor();
    await expect.poll(() => rows.count()).toBe(2);
    await devices.getByRole('button', { name: 'Sign out everywhere else' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out', exact: true }).click();
    await phone.getByRole('button', { name: 'Sign in' }).waitFor();
    await expect.poll(() => rows.count()).toBe(1);
    await live(page).waitFor();
    for (const one of [page, phone, laptop]) await browser.leave(one);
  });

  it('sets up a second factor by QR code, asks for it, and turns it off', async () => {
    const { browser } = fixtures();
    const email = 'grace@example.org';
    const password = 'a password of Grace';
    const page = await browser.newPage(`/invitation#${await invite(fixtures, email)}`);
    await screenshot(page, 'invitation-new');
    await page.locator('input[name=password]').fill('password123');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page
      .getByRole('alert')
      .getByText(/10,000 most common/)
      .waitFor();
    await page.locator('input[name=password]').fill(password);
    await page.getByRole('button', { name: 'Create account' }).click();
    await account(page).waitFor();

    await navigate(page, '/settings/account');
    await page.getByRole('button', { name: 'Set up' }).click();
    const dialog = page.getByRole('dialog', { name: 'Set up two-factor authentication' });
    await dialog.getByLabel('Current password').fill(password);
    await dialog.getByRole('button', { name: 'Continue', exact: true }).click();
    await dialog.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor();
    expect(await findings(page)).toEqual([]);
    await screenshot(page, 'two-factor-set-up');
    const secret = String(await dialog.locator('code, pre').first().textContent()).replaceAll(' ', '');
    await dialog.getByRole('textbox', { name: 'Code' }).fill('000000');
    await dialog.getByRole('button', { name: 'Turn on' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByRole('textbox', { name: 'Code' }).fill(generateSync({ secret }));
    await dialog.getByRole('button', { name: 'Turn on' }).click();
    await dialog.getByText('Save your recovery codes now').waitFor();
    await screenshot(page, 'two-factor-codes');
    const codes = String(await dialog.locator('code, pre').first().textContent())
      .trim()
      .split('\n');
    expect(codes).toHaveLength(10);
    await dialog.getByRole('button', { name: 'I have saved them' }).click();
    await page.getByText('10 recovery codes left').waitFor();
    await screenshot(page, 'settings-account-two-factor');

    await signOut(page);
    await page.getByLabel('Email').fill(email);
    await page.locator('input[name=password]').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('textbox', { name: 'Code' }).waitFor();
    expect(await findings(page)).toEqual([]);
    await screenshot(page, 'sign-in-code');
    await page.getByRole('textbox', { name: 'Code' }).fill('123456');
    await page.getByRole('button', { name: 'Continue', exact: true }).click();
    await page.getByRole('alert').waitFor();
    await page.getByRole('textbox', { name: 'Code' }).fill(String(codes[0]));
    await page.getByRole('button', { name: 'Continue', exact: true }).click();
    await account(page).waitFor();

    await navigate(page, '/settings/account');
    await page.getByText('9 recovery codes left').waitFor();
    await page.getByRole('button', { name: 'Turn off' }).click();
    const off = page.getByRole('dialog', { name: 'Turn off two-factor authentication?' });
    await off.getByLabel('Current password').fill(password);
    await off.getByRole('textbox', { name: 'Code' }).fill(String(codes[1]));
    await screenshot(page, 'two-factor-off');
    await off.getByRole('button', { name: 'Turn off' }).click();
    await page.getByRole('button', { name: 'Set up' }).waitFor();
    await browser.leave(page);
  });
}
