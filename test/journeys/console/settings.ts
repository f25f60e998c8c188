import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { Platform } from '../platform.ts';
import { findings } from './accessibility.ts';
import { screenshot } from './browser.ts';
import type { Fixtures } from './shell.ts';

async function acceptAsAda(page: Page, platform: Platform): Promise<void> {
  const { body: workspace } = await platform.client.post('/workspaces', { name: 'Meadow' });
  const invited = { email: 'ada@example.org', role: 'viewer' };
  const { body: invitation } = await platform.client.post(`/workspaces/${workspace.id}/invitations`, invited);
  await page.getByRole('button', { name: /^Account/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  await page.goto('about:blank');
  await page.goto(`/invitation?account=required#${invitation.token}`);
  expect(await page.getByText('I’m new here').count()).toBe(0);
  await screenshot(page, 'invitation');
  await page.getByLabel('Email').fill('ada@example.org');
  await page.locator('input[name=password]').fill('a password of Ada');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('You are signed in as ada@example.org').waitFor();
  expect(await findings(page)).toEqual([]);
  await screenshot(page, 'invitation-accept');
  await page.getByRole('button', { name: 'Accept invitation' }).click();
  await page.getByRole('button', { name: 'Workspace: Personal' }).click();
  await page.getByRole('menuitem', { name: workspace.name }).waitFor();
  await page.keyboard.press('Escape');
}

export function settingsJourneys(fixtures: Fixtures): void {
  it('creates a key, shows it once, and disables it', async () => {
    const { browser, platform } = fixtures();
    const page = await browser.signedIn('/settings/keys');
    await page.getByRole('button', { name: 'New key' }).click();
    const dialog = page.getByRole('dialog', { name: 'New API key' });
    await dialog.getByLabel('Name').fill('The only robot');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    const secret = String(await dialog.locator('code, pre').first().textContent());
    expect(secret).toMatch(/^chk_/);
    await dialog.getByRole('button', { name: 'Done' }).click();
    const row = page.getByRole('row', { name: /The only robot/ });
    await row.waitFor();
    expect(await page.content()).not.toContain(secret);
    const asked = () =>
      fetch(`${platform.apis[0]?.url}/api/v1/me`, { headers: { 'x-api-key': secret, 'x-scope-type': 'personal' } });
    expect((await asked()).status).toBe(200);
    await row.getByRole('button', { name: 'Disable' }).click();
    await row.getByText('Disabled', { exact: true }).waitFor();
    await expect.poll(async () => (await asked()).status, { timeout: 20_000 }).toBe(401);
    await screenshot(page, 'settings-keys');
    await browser.leave(page);
  });

  it('invites someone to a workspace and changes their role', async () => {
    const { browser, platform } = fixtures();
    const { body: workspace } = await platform.client.post('/workspaces', { name: 'Orchard' });
    const page = await browser.signedIn('/settings');
    await page.getByRole('button', { name: 'Workspace: Personal' }).click();
    await page.getByRole('menuitem', { name: workspace.name }).click();
    await page.getByRole('link', { name: 'Workspace', exact: true }).click();
    await page.getByRole('button', { name: 'Invite someone' }).click();
    const dialog = page.getByRole('dialog', { name: 'Invite someone' });
    await dialog.getByLabel('Email').fill('ada@example.org');
    await dialog.getByRole('button', { name: 'Invite' }).click();
    const address = String(await dialog.locator('code, pre').first().textContent());
    await dialog.getByRole('button', { name: 'Done' }).click();

    const ada = await browser.newPage(address.slice(address.indexOf('/invitation')));
    await ada.locator('input[name=password]').fill('a password of Ada');
    await ada.getByRole('button', { name: 'Create account' }).click();
    await ada.getByRole('button', { name: 'Account: ada@example.org' }).waitFor();

    // Ada already has an account; the inviter is not an operator.
    await acceptAsAda(ada, platform);
    await browser.leave(ada);

    await page.reload();
    await page.getByRole('combobox', { name: 'Role of ada@example.org' }).click();
    await page.getByRole('option', { name: 'viewer' }).click();
    const role = async () => {
      const { body } = await platform.client.get(`/workspaces/${workspace.id}/members`);
      return body.data.find(({ email }: { email: string }) => email === 'ada@example.org')?.role;
    };
    await expect.poll(role, { timeout: 20_000 }).toBe('viewer');
    expect(await findings(page)).toEqual([]);
    await screenshot(page, 'settings-workspace');
    await browser.leave(page);
  });

  it('creates an agent; shows usage and the audit log', async () => {
    const { browser, platform } = fixtures();
    // The answer ends before its provider reports the usage.
    await platform.client.chat({ message: 'Break off', model: 'compatible/error-after-3' });
    const page = await browser.signedIn('/settings/agents', { dark: true });
    await page.getByRole('button', { name: 'New agent' }).click();
    const dialog = page.getByRole('dialog', { name: 'New agent' });
    await dialog.getByLabel('Name').fill('Gardener');
    await dialog.getByLabel('Instructions').fill('You know all about apples.');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('article', { name: 'Gardener' }).waitFor();
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByText('Signed in').first().waitFor();
    await page.getByRole('link', { name: 'Usage' }).click();
    await page.getByText('Stored files').waitFor();
    await page.getByRole('list', { name: /^By day/ }).waitFor();
    const model = page.getByRole('row', { name: 'compatible/error-after-3' });
    await model.getByText(/^about \$0\.00/).waitFor();
    await screenshot(page, 'settings-usage-dark');
    await browser.leave(page);
  });
}
