import { expect, it } from 'vitest';
import { findings } from './accessibility.ts';
import { screenshot } from './browser.ts';
import type { Fixtures } from './shell.ts';

const DOT = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);

export function chatOptionsJourneys(fixtures: Fixtures): void {
  it('attaches an image to a message and shows it after a reload', async () => {
    const { browser } = fixtures();
    const page = await browser.signedIn('/chat', { model: 'compatible/echo' });
    const files = page.locator('input[type=file]');
    await files.setInputFiles({ name: 'wrong.png', mimeType: 'image/png', buffer: DOT });
    await page.getByRole('button', { name: 'Remove wrong.png' }).click();
    await files.setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: DOT });
    await page.getByRole('button', { name: 'Remove dot.png' }).waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('What is this?');
    const sent = page.waitForRequest(/\/chat\/completions$/);
    await page.getByRole('button', { name: 'Send' }).click();
    expect((await sent).postDataJSON().attachments).toEqual([expect.stringMatching(/^ast_/)]);
    await page.waitForURL(/\/chat\/ses_/);
    const mine = page.getByRole('article', { name: 'You' });
    await mine.getByRole('img').waitFor();
    expect(await page.getByRole('button', { name: 'Remove dot.png' }).count()).toBe(0);
    await page.reload();
    await mine.getByRole('img').waitFor();
    expect(await findings(page)).toEqual([]);
    await screenshot(page, 'chat-attachment');
    await browser.leave(page);
  });

  it('answers from documents with the selected tag', async () => {
    const { browser, platform } = fixtures();
    const content = 'Boats longer than twelve metres berth at the east quay.';
    const { body: entry } = await platform.client.post('/console/knowledge', { content, tags: ['harbour'] });
    const status = async () => (await platform.client.get(`/console/knowledge/${entry.id}`)).body.status;
    await expect.poll(status, { timeout: 60_000 }).toBe('ready');

    const page = await browser.signedIn('/chat', { phone: true });
    await page.getByRole('button', { name: 'Knowledge' }).click();
    await page.getByRole('button', { name: 'Search in: All documents' }).click();
    await page.getByRole('combobox', { name: 'Only documents tagged' }).click();
    await page.getByRole('option', { name: 'harbour' }).click();
    expect(await findings(page)).toEqual([]);
    await screenshot(page, 'chat-tags-phone');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Search in: harbour' }).waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('Where do boats longer than twelve metres berth?');
    const sent = page.waitForRequest(/\/chat\/completions$/);
    await page.getByRole('button', { name: 'Send' }).click();
    expect((await sent).postDataJSON().knowledge).toEqual({ tags: ['harbour'] });
    await page.getByRole('list', { name: 'Sources' }).waitFor();
    await browser.leave(page);
  });

  it('starts a conversation with an agent', async () => {
    const { browser, platform } = fixtures();
    const { body: agent } = await platform.client.post('/agents', {
      name: 'Harbour master',
      instructions: 'Be brief.',
    });
    const page = await browser.signedIn('/chat', { model: 'compatible/echo' });
    await page.getByRole('combobox', { name: 'Agent' }).click();
    await page.getByRole('option', { name: 'Harbour master' }).click();
    await screenshot(page, 'chat-agent');
    await page.getByRole('textbox', { name: 'Message' }).fill('Who are you?');
    const sent = page.waitForRequest(/\/chat\/completions$/);
    await page.getByRole('button', { name: 'Send' }).click();
    expect((await sent).headers()['x-agent-id']).toBe(agent.id);
    await page.getByText('with Harbour master').waitFor();
    await browser.leave(page);
  });
}
