import { expect, it } from 'vitest';
import { findings } from './accessibility.ts';
import { screenshot } from './browser.ts';
import type { Fixtures } from './shell.ts';

const LIGHTHOUSE = '# Lighthouse\n\nThe lamp of the lighthouse at Skerry was lit for the first time in 1871.\n';

export function attachmentsJourneys(fixtures: Fixtures): void {
  it('reads a document for its conversation, and names what cannot be attached or read', async () => {
    const { browser } = fixtures();
    const page = await browser.signedIn('/chat');
    const files = page.locator('input[type=file]');
    await files.setInputFiles({ name: 'tool.exe', mimeType: 'application/x-msdownload', buffer: Buffer.from('MZ') });
    await page.getByText('“tool.exe” has an unsupported type').waitFor();
    const broken = { name: 'broken.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4 nothing') };
    const lamp = { name: 'lamp.md', mimeType: 'text/markdown', buffer: Buffer.from(LIGHTHOUSE) };
    await files.setInputFiles([broken, lamp]);
    const chips = page.getByRole('list', { name: 'Attachments' }).getByRole('listitem');
    await page.locator('li[data-state=failed]', { hasText: 'broken.pdf' }).waitFor();
    await page.locator('li[data-state=ready]', { hasText: 'lamp.md' }).waitFor();
    expect(await findings(page)).toEqual([]);
    await screenshot(page, 'attachments');
    await page.getByRole('button', { name: 'Remove broken.pdf' }).click();
    await page.getByRole('textbox', { name: 'Message' }).fill('When was the lamp of the lighthouse lit?');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.waitForURL(/\/chat\/ses_/);
    expect(await chips.count()).toBe(0);
    const answer = page.getByRole('article', { name: 'Answer' });
    await answer
      .getByRole('list', { name: 'Sources' })
      .getByRole('button', { name: /Lighthouse/ })
      .waitFor();
    await answer.getByText(/for the first time in 1871/).waitFor();
    await page
      .getByRole('article', { name: 'You' })
      .getByRole('link', { name: /lamp\.md/ })
      .waitFor();
    expect(await findings(page)).toEqual([]);
    await screenshot(page, 'attachments-answer');
    browser.keep(page);
  });
}
