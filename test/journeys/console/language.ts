import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { findings } from './accessibility.ts';
import { navigate, screenshot } from './browser.ts';
import { visit } from './every-page.ts';
import { messageKeysIn } from './message-keys.ts';
import type { Fixtures } from './shell.ts';

const choose = async (page: Page, name: string) => {
  await page.locator('[data-language]').click();
  await page.getByRole('menuitem', { name }).click();
};

const root = (page: Page) => page.locator('html');

export function languageJourneys(fixtures: Fixtures): void {
  it('starts in the language of the browser, and changes to others without a reload', async () => {
    const { browser } = fixtures();
    const page = await browser.newPage('about:blank', { locale: 'de-AT' });
    const loaded: string[] = [];
    page.on('request', (request) => {
      const [, language] = /\/messages-(\w+)-/.exec(request.url()) ?? [];
      if (language !== undefined) loaded.push(language);
    });
    await page.goto('/');
    await page.getByRole('heading', { name: 'Bei Chorus anmelden' }).waitFor();
    expect(await root(page).getAttribute('lang')).toBe('de-AT');
    expect([...new Set(loaded)]).toEqual(['de']);
    await page.getByLabel('E-Mail').fill('stranger@example.org');
    await page.locator('input[name=password]').fill('not this one');
    await page.getByRole('button', { name: 'Anmelden' }).click();
    await page.getByRole('alert').getByText('E-Mail oder Passwort falsch').waitFor();

    await page.evaluate('window.isSamePage = true');
    await choose(page, 'العربية');
    await page.getByRole('heading', { name: 'تسجيل الدخول إلى Chorus' }).waitFor();
    expect(await root(page).getAttribute('dir')).toBe('rtl');
    expect(await findings(page)).toEqual([]);
    expect(await page.evaluate('window.isSamePage')).toBe(true);
    expect(await page.locator('input[inputmode=email]').inputValue()).toBe('stranger@example.org');
    expect(await page.locator('input[name=password]').inputValue()).toBe('not this one');
    await browser.leave(page);
  });

  it('shows Arabic from right to left, with its plural forms, and remembers it', async () => {
    const { browser } = fixtures();
    const page = await browser.signedIn('/settings/account');
    await choose(page, 'العربية');
    await page.getByRole('heading', { name: 'الإعدادات' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'الإعدادات' }).waitFor();
    const sidebar = await page.getByRole('navigation', { name: 'الرئيسية' }).boundingBox();
    expect(sidebar?.x).toBeGreaterThan(600);
    expect(await findings(page)).toEqual([]);
    await screenshot(page, 'settings-ar');

    await navigate(page, '/settings/usage');
    // The plural forms for a few and for many.
    await page.getByText('7 أيام', { exact: true }).waitFor();
    await page.getByText('30 يومًا', { exact: true }).waitFor();
    await navigate(page, '/settings/account');
    await choose(page, 'Deutsch');
    await page.getByRole('heading', { name: 'Einstellungen' }).waitFor();
    expect(await root(page).getAttribute('dir')).toBe('ltr');
    for (const path of ['/chat', '/studio/images', '/knowledge', '/settings/usage']) {
      await visit(page, [path, '']);
      expect(messageKeysIn(await page.getByRole('main').textContent()), path).toEqual([]);
    }
    await browser.leave(page);
  });
}
