import { expect, it } from 'vitest';
import { seriousFindings } from './accessibility.ts';
import { picture } from './browser.ts';
import type { Here } from './shell.ts';

export function studioJourneys(here: Here): void {
  it('images are made, kept, known again, and read', async () => {
    const { browser } = here();
    const page = await browser.signedIn('/studio/images');
    await page.getByLabel('What should be seen').fill('A sign that says "HARBOUR" over a calm sea');
    await page.getByLabel('Images').fill('2');
    await page.getByRole('combobox', { name: 'Size' }).click();
    await page.getByRole('option', { name: '512x512' }).click();
    await page.getByRole('button', { name: 'Make 2 images' }).click();
    const run = page.getByRole('article', { name: /HARBOUR/ });
    await run.getByText('succeeded').waitFor();
    expect(await run.getByRole('button', { name: /^Open / }).count()).toBe(2);
    expect(await seriousFindings(page)).toEqual([]);
    await picture(page, 'studio-images');

    await page.getByRole('link', { name: 'Gallery' }).click();
    const tiles = page.getByRole('list', { name: 'Files' }).getByRole('button');
    await expect.poll(() => tiles.count(), { timeout: 20_000 }).toBe(2);
    await tiles.first().click();
    const dialog = page.getByRole('dialog');
    const address = await dialog.getByRole('link', { name: 'Download' }).getAttribute('href');
    const buffer = await (await page.request.get(String(address))).body();
    await picture(page, 'studio-gallery');
    await dialog.getByRole('link', { name: 'Verify' }).click();
    await page.getByRole('button', { name: /^Verify / }).click();
    await page.getByRole('alert').getByText('Made here', { exact: true }).waitFor();
    await picture(page, 'studio-verify');

    await page.getByRole('link', { name: 'Read' }).click();
    await page.getByText('Drop an image or a PDF here').waitFor();
    await page.locator('input[type=file]').setInputFiles({ name: 'harbour.png', mimeType: 'image/png', buffer });
    // The slowest of all on a busy machine.
    await page.getByRole('img', { name: /^Page 1/ }).waitFor({ timeout: 120_000 });
    expect((await page.locator('svg rect title').allTextContents()).join(' ')).toContain('HARBOUR');
    await picture(page, 'studio-read');
    await page.context().close();
  });

  it('a batch of pasted prompts is followed to its end', async () => {
    const { browser } = here();
    const page = await browser.signedIn('/studio/batch', { phone: true });
    await page.getByLabel(/^Prompts/).fill('a red sun\na blue moon\n\na green hill');
    await page.getByText('3 to be made.').waitFor();
    await page.getByRole('combobox', { name: 'Size' }).click();
    await page.getByRole('option', { name: '256x256' }).click();
    await page.getByRole('button', { name: 'Begin the batch' }).click();
    await page.getByText('3 of 3 done').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await picture(page, 'studio-batch-phone');
    await page.context().close();
  });

  it('a video is made and played', async () => {
    const { browser } = here();
    const page = await browser.signedIn('/studio/video', { dark: true });
    await page.getByLabel('What should happen').fill('Waves at sunset');
    await page.getByLabel('Seconds').fill('0.5');
    await page.getByRole('combobox', { name: 'Size' }).click();
    await page.getByRole('option', { name: '640x360' }).click();
    await page.getByRole('button', { name: 'Make a video' }).click();
    await page
      .getByRole('article')
      .getByRole('button', { name: /^Open / })
      .click();
    await page.locator('video').waitFor();
    await picture(page, 'studio-video-dark');
    await page.context().close();
  });
}
