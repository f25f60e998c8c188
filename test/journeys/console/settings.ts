import { expect, it } from 'vitest';
import { seriousFindings } from './accessibility.ts';
import { picture } from './browser.ts';
import type { Here } from './shell.ts';

export function settingsJourneys(here: Here): void {
  it('a key is made, shown once, and works until it is disabled', async () => {
    const { browser, platform } = here();
    const page = await browser.signedIn('/settings/keys');
    await page.getByRole('button', { name: 'New key' }).click();
    const dialog = page.getByRole('dialog', { name: 'New API key' });
    await dialog.getByLabel('Name').fill('A robot');
    await dialog.getByRole('button', { name: 'Make the key' }).click();
    const secret = String(await dialog.locator('code, pre').first().textContent());
    expect(secret).toMatch(/^chk_/);
    await dialog.getByRole('button', { name: 'I have it' }).click();
    await page.getByRole('cell', { name: /A robot/ }).waitFor();
    expect(await page.content()).not.toContain(secret);
    const asked = () =>
      fetch(`${platform.apis[0]?.url}/api/v1/me`, { headers: { 'x-api-key': secret, 'x-scope-type': 'personal' } });
    expect((await asked()).status).toBe(200);
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByText('disabled', { exact: true }).waitFor();
    await expect.poll(async () => (await asked()).status, { timeout: 20_000 }).toBe(401);
    expect(await seriousFindings(page)).toEqual([]);
    await picture(page, 'settings-keys');
    await page.context().close();
  });

  it('somebody is invited to a workspace, comes in, and gets another role', async () => {
    const { browser, platform } = here();
    const { body: workspace } = await platform.client.post('/workspaces', { name: 'Orchard' });
    const page = await browser.signedIn('/settings');
    await page.getByRole('button', { name: 'Scope: Personal' }).click();
    await page.getByRole('menuitem', { name: workspace.name }).click();
    await page.getByRole('link', { name: 'Workspace', exact: true }).click();
    await page.getByRole('button', { name: 'Invite somebody' }).click();
    const dialog = page.getByRole('dialog', { name: 'Invite somebody' });
    await dialog.getByLabel('E-mail').fill('ada@example.org');
    await dialog.getByRole('button', { name: 'Invite' }).click();
    const address = String(await dialog.locator('code, pre').first().textContent());
    await dialog.getByRole('button', { name: 'I have it' }).click();

    const ada = await browser.newPage(address.slice(address.indexOf('/invitation')));
    await ada.locator('input[name=password]').fill('a password of Ada');
    await ada.getByRole('button', { name: 'Come in' }).click();
    await ada.getByRole('button', { name: 'Account: ada@example.org' }).waitFor();
    await ada.context().close();

    await page.reload();
    await page.getByRole('combobox', { name: 'Role of ada@example.org' }).click();
    await page.getByRole('option', { name: 'viewer' }).click();
    const role = async () => {
      const { body } = await platform.client.get(`/workspaces/${workspace.id}/members`);
      return body.data.find(({ email }: { email: string }) => email === 'ada@example.org')?.role;
    };
    await expect.poll(role, { timeout: 20_000 }).toBe('viewer');
    expect(await seriousFindings(page)).toEqual([]);
    await picture(page, 'settings-workspace');
    await page.context().close();
  });

  it('agents are made; usage and the audit log are shown', async () => {
    const { browser } = here();
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
    expect(await seriousFindings(page)).toEqual([]);
    await picture(page, 'settings-usage-dark');
    await page.context().close();
  });
}
