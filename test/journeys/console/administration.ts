import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { findings } from './accessibility.ts';
import { screenshot } from './browser.ts';
import type { Fixtures } from './shell.ts';

const KEY = 'mk-journey-0123456789-Wxyz';

export function administrationJourneys(fixtures: Fixtures): void {
  it('invites a user, makes them an operator, and disables them', async () => {
    const { browser } = fixtures();
    const email = `${randomUUID()}@example.com`;
    const page = await browser.signedIn('/chat');
    await page.getByRole('link', { name: 'Administration' }).click();
    await page.getByRole('button', { name: 'Invite someone' }).click();
    await page.getByLabel('Email').fill(email);
    await page.keyboard.press('Enter');
    const link = await page
      .getByRole('dialog')
      .getByText(/invitation\?to=platform#chi_/)
      .textContent();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('row', { name: email }).waitFor();

    const { pathname, search, hash } = new URL(String(link));
    const theirs = await browser.newPage(pathname + search + hash);
    await theirs.getByLabel('Choose a password').fill('correct horse battery');
    await theirs.keyboard.press('Enter');
    await theirs.getByRole('button', { name: /^Account/ }).waitFor({ state: 'attached' });
    expect(await theirs.getByRole('link', { name: 'Administration' }).count()).toBe(0);

    await page.reload();
    const row = page.getByRole('row', { name: email });
    const choose = async (action: string) => {
      await row.getByRole('button', { name: `Actions for ${email}` }).click();
      await page.getByRole('menuitem', { name: action }).click();
    };
    await choose('Make operator');
    await row.getByText('Operator').waitFor();
    await screenshot(page, 'administration-users');
    await choose('Disable…');
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await row.getByText('disabled').waitFor();
    await theirs.reload();
    await theirs.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await findings(page)).toEqual([]);
    await browser.leave(theirs);
    browser.keep(page);
  });

  it('stores a provider key, uses its models, and shows which keys the environment sets', async () => {
    const { browser, platform } = fixtures();
    const page = await browser.signedIn('/administration/providers');
    const compatible = page.getByRole('listitem', { name: 'OpenAI-compatible server' });
    await compatible.getByText('Set by COMPATIBLE_BASE_URL in the environment').waitFor();
    expect(await compatible.getByRole('button', { name: 'Replace' }).count()).toBe(0);
    const mistral = page.getByRole('listitem', { name: 'Mistral' });
    await mistral.getByRole('button', { name: 'Add key' }).click();
    const dialog = page.getByRole('dialog', { name: 'Mistral' });
    await dialog.getByLabel('API key').fill(KEY);
    await screenshot(page, 'administration-key');
    await dialog.getByRole('button', { name: 'Test and save' }).click();
    // The address in the platform's environment is unreachable.
    await dialog.getByText('cannot be reached').waitFor();
    await dialog.getByRole('button', { name: 'Save anyway' }).click();
    await mistral.getByText('Key ending in Wxyz').waitFor();
    await expect
      .poll(
        async () =>
          (await platform.client.get('/models')).body.data.some(
            (one: { owned_by: string }) => one.owned_by === 'mistral',
          ),
        { timeout: 20_000 },
      )
      .toBe(true);
    expect(await page.content()).not.toContain(KEY);
    expect(await findings(page)).toEqual([]);
    await screenshot(page, 'administration-providers');
    await mistral.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await mistral.getByRole('button', { name: 'Add key' }).waitFor();
    browser.keep(page);
  });

  it('sets fallbacks, and shows which default models the environment sets', async () => {
    const { browser, platform } = fixtures();
    const page = await browser.signedIn('/administration/models');
    await page.getByText('Set by DEFAULT_MODEL in the environment').waitFor();
    await page.getByRole('button', { name: 'Add chain' }).click();
    const chain = page.getByRole('combobox', { name: 'Chain 1' });
    for (const model of ['compatible/echo', 'embedded/assistant']) {
      await chain.fill(model);
      await page.getByRole('option', { name: model, exact: true }).click();
    }
    await page.getByRole('button', { name: 'Save fallbacks' }).click();
    await page.getByText('Saved. Takes effect in all processes within a second.').waitFor();
    const { fallbacks } = (await platform.client.get('/model-settings')).body;
    expect(fallbacks).toEqual({ chains: [['compatible/echo', 'embedded/assistant']], source: 'stored' });
    expect(await findings(page)).toEqual([]);
    await screenshot(page, 'administration-models');
    browser.keep(page);
  });

  it('shows what each user used, and changes a limit', async () => {
    const { browser, platform } = fixtures();
    await platform.client.chat({ message: 'Count me', model: 'compatible/echo' });
    const page = await browser.signedIn('/administration/usage');
    const row = page.getByRole('row', { name: platform.login.email });
    await row.getByRole('img', { name: /by day/ }).waitFor();
    const limit = page.getByRole('row', { name: 'Simultaneous uploads per user' });
    await limit.getByText('Default', { exact: true }).waitFor();
    expect(await findings(page)).toEqual([]);
    await screenshot(page, 'administration-usage');
    await limit.getByRole('button', { name: 'Change: Simultaneous uploads per user' }).click();
    const dialog = page.getByRole('dialog', { name: 'Simultaneous uploads per user' });
    await dialog.getByLabel('New value').fill('33');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await limit.getByText('Administration').waitFor();
    const { data } = (await platform.client.get('/limits')).body;
    expect(data).toContainEqual(expect.objectContaining({ name: 'uploads', value: 33, source: 'stored' }));
    await platform.client.call('PATCH', '/limits', { body: { uploads: null } });
    browser.keep(page);
  });
}
