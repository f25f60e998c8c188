import { expect, it } from 'vitest';
import { findings } from './accessibility.ts';
import { screenshot } from './browser.ts';
import type { Fixtures } from './shell.ts';

export function studioJourneys(fixtures: Fixtures): void {
  it('creates, stores, verifies, and reads images', async () => {
    const { browser } = fixtures();
    const page = await browser.signedIn('/studio/images');
    await page.getByRole('textbox', { name: 'Prompt', exact: true }).fill('A sign that says "HARBOUR" over a calm sea');
    await page.getByLabel('Images').fill('2');
    await page.getByRole('combobox', { name: 'Size' }).click();
    await page.getByRole('option', { name: '512x512' }).click();
    await page.getByRole('button', { name: 'Create 2 images' }).click();
    const run = page.getByRole('article', { name: /HARBOUR/ });
    await run.getByText('succeeded').waitFor();
    expect(await run.getByRole('button', { name: /^Open / }).count()).toBe(2);
    expect(await findings(page)).toEqual([]);
    await screenshot(page, 'studio-images');
    const elsewhere = await browser.signedIn('/studio/images');
    const same = elsewhere.getByRole('article', { name: /HARBOUR/ });
    await expect.poll(() => same.getByRole('button', { name: /^Open / }).count()).toBe(2);
    await same.getByRole('button', { name: 'Dismiss' }).click();
    await same.waitFor({ state: 'detached' });
    await browser.leave(elsewhere);

    await page.getByRole('link', { name: 'Gallery' }).click();
    // Other journeys upload images.
    const tiles = page.getByRole('list', { name: 'Files' }).getByRole('button', { name: /harbour/ });
    await expect.poll(() => tiles.count(), { timeout: 20_000 }).toBe(2);
    await tiles.first().click();
    const dialog = page.getByRole('dialog');
    const address = await dialog.getByRole('link', { name: 'Download' }).getAttribute('href');
    const buffer = await (await page.request.get(String(address))).body();
    await page.keyboard.press('ArrowRight');
    await dialog.getByText(/^2 of /).waitFor({ state: 'attached' });
    await page.keyboard.press('ArrowLeft');
    await dialog.getByText(/^1 of /).waitFor({ state: 'attached' });
    expect(await findings(page)).toEqual([]);
    await screenshot(page, 'studio-gallery');
    await dialog.getByRole('button', { name: 'Variations' }).click();
    await page.getByRole('button', { name: 'Create 4 images' }).waitFor();
    await expect.poll(() => page.getByRole('textbox', { name: 'Prompt', exact: true }).inputValue()).toMatch(/HARBOUR/);
    await page.goBack();
    await tiles.first().click();
    await dialog.getByRole('link', { name: 'Use as reference' }).click();
    await page.getByRole('button', { name: /^Remove the reference/ }).waitFor();
    expect(await findings(page)).toEqual([]);
    await screenshot(page, 'studio-reference');
    await page.goBack();
    await tiles.first().click();
    await dialog.getByRole('link', { name: 'Verify' }).click();
    await page.getByRole('button', { name: /^Verify / }).click();
    await page.getByRole('alert').getByText('Made here', { exact: true }).waitFor();
    await screenshot(page, 'studio-verify');

    await page.getByRole('link', { name: 'Read text' }).click();
    await page.getByText('Drop an image or a PDF here').waitFor();
    await page.locator('input[type=file]').setInputFiles({ name: 'harbour.png', mimeType: 'image/png', buffer });
    // The slowest step on a busy machine.
    await page.getByRole('img', { name: /^Page 1/ }).waitFor({ timeout: 120_000 });
    expect((await page.locator('svg rect title').allTextContents()).join(' ')).toContain('HARBOUR');
    await screenshot(page, 'studio-read');
    await browser.leave(page);
  });

  it('follows a batch of pasted prompts to its end', async () => {
    const { browser } = fixtures();
    const page = await browser.signedIn('/studio/batch', { phone: true });
    await page.getByLabel(/^Prompts/).fill('a red sun\na blue moon\n\na green hill');
    await page.getByText('3 items').waitFor();
    await page.getByRole('combobox', { name: 'Size' }).click();
    await page.getByRole('option', { name: '256x256' }).click();
    await page.getByRole('button', { name: 'Start batch' }).click();
    await page.getByText('3 of 3 done').waitFor();
    expect(await findings(page)).toEqual([]);
    await screenshot(page, 'studio-batch-phone');
    await browser.leave(page);
  });

  it('creates and plays a video', async () => {
    const { browser } = fixtures();
    const page = await browser.signedIn('/studio/video', { dark: true });
    await page.getByLabel('Prompt').fill('Waves at sunset');
    await page.getByLabel('Seconds').fill('0.5');
    await page.getByRole('combobox', { name: 'Size' }).click();
    await page.getByRole('option', { name: '640x360' }).click();
    await page.getByRole('button', { name: 'Create video' }).click();
    await page
      .getByRole('article')
      .getByRole('button', { name: /^Open / })
      .click();
    await page.locator('video').waitFor();
    await screenshot(page, 'studio-video-dark');
    await browser.leave(page);
  });
}
