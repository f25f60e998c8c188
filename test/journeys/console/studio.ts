import { writePdf } from '@chorus/testing';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { findings } from './accessibility.ts';
import { navigate, screenshot } from './browser.ts';
import type { Fixtures } from './shell.ts';

const tiles = (page: Page) => page.getByRole('list', { name: 'Files' }).getByRole('button', { name: /harbour/ });
const prompt = (page: Page) => page.getByRole('textbox', { name: 'Prompt', exact: true });

async function createImages(page: Page): Promise<void> {
  await prompt(page).fill('A harbour below a calm sea');
  await page.getByLabel('Images').fill('2');
  await page.getByRole('combobox', { name: 'Size' }).click();
  await page.getByRole('option', { name: '512x512' }).click();
  await page.getByRole('button', { name: 'Create 2 images' }).click();
  const run = page.getByRole('article', { name: /harbour/ });
  await run.getByText('succeeded').waitFor();
  expect(await run.getByRole('button', { name: /^Open / }).count()).toBe(2);
  expect(await findings(page, { within: 'article' })).toEqual([]);
  await screenshot(page, 'studio-images');
}

/** Opens each image, and uses its actions. */
async function useGallery(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Gallery' }).click();
  // Other journeys upload images.
  await expect.poll(() => tiles(page).count()).toBe(2);
  await tiles(page).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(/^1 of /).waitFor({ state: 'attached' });
  await page.keyboard.press('ArrowRight');
  await dialog.getByText(/^2 of /).waitFor({ state: 'attached' });
  await page.keyboard.press('ArrowLeft');
  await dialog.getByText(/^1 of /).waitFor({ state: 'attached' });
  expect(await findings(page, { within: '[role=dialog]' })).toEqual([]);
  await screenshot(page, 'studio-gallery');
  await dialog.getByRole('button', { name: 'Variations' }).click();
  await page.getByRole('button', { name: 'Create 4 images' }).waitFor();
  await expect.poll(() => prompt(page).inputValue()).toMatch(/harbour/);
  await page.goBack();
  await tiles(page).first().click();
  await dialog.getByRole('link', { name: 'Use as reference' }).click();
  await page.getByRole('button', { name: /^Remove the reference/ }).waitFor();
  await screenshot(page, 'studio-reference');
  await page.goBack();
  await tiles(page).first().click();
  await dialog.getByRole('link', { name: 'Verify' }).click();
  await page.getByRole('button', { name: /^Verify / }).click();
  await page.getByRole('alert').getByText('Made here', { exact: true }).waitFor();
  await screenshot(page, 'studio-verify');
}

/** Reads a page with a text layer, which costs less than finding letters in pixels. */
async function readPage(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Read text' }).click();
  await page.getByText('Drop an image or a PDF here').waitFor();
  const buffer = writePdf([{ width: 300, height: 140, marks: [{ text: 'Harbour dues', x: 30, y: 40, size: 20 }] }]);
  const file = { name: 'dues.pdf', mimeType: 'application/pdf', buffer: Buffer.from(buffer) };
  await page.locator('input[type=file]').setInputFiles(file);
  await page.getByRole('img', { name: /^Page 1/ }).waitFor();
  expect((await page.locator('svg rect title').allTextContents()).join(' ')).toBe('Harbour dues');
  await screenshot(page, 'studio-read');
}

async function createVideo(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Video' }).click();
  await prompt(page).fill('Waves at sunset');
  await page.getByLabel('Seconds').fill('0.5');
  await page.getByRole('combobox', { name: 'Size' }).click();
  await page.getByRole('option', { name: '640x360' }).click();
  await page.getByRole('button', { name: 'Create video' }).click();
  const run = page.getByRole('article', { name: 'Waves at sunset' });
  await run.getByRole('button', { name: /^Open / }).click();
  await page.locator('video').waitFor();
  await screenshot(page, 'studio-video');
  await page.keyboard.press('Escape');
}

async function runBatch(page: Page): Promise<void> {
  await page.setViewportSize({ width: 390, height: 844 });
  await navigate(page, '/studio/batch');
  await page.getByLabel(/^Prompts/).fill('a red sun\n\na blue moon');
  await page.getByText('2 items').waitFor();
  await page.getByRole('button', { name: 'Start batch' }).click();
  await page.getByText('2 of 2 done').waitFor();
  expect(await findings(page, { within: 'main' })).toEqual([]);
  await screenshot(page, 'studio-batch-phone');
}

export function studioJourneys(fixtures: Fixtures): void {
  it('creates images, videos, and batches; keeps, reuses, verifies, and reads files', async () => {
    const { browser } = fixtures();
    const page = await browser.signedIn('/studio/images');
    await createImages(page);
    await useGallery(page);
    await readPage(page);
    await createVideo(page);
    await runBatch(page);
    // The server lists the runs, no matter where they were started.
    await navigate(page, '/studio/images');
    await page.reload();
    const run = page.getByRole('article', { name: /harbour/ });
    await expect.poll(() => run.getByRole('button', { name: /^Open / }).count()).toBe(2);
    await run.getByRole('button', { name: 'Dismiss' }).click();
    await run.waitFor({ state: 'detached' });
    browser.keep(page);
  });
}
