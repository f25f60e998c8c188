import { expect, it } from 'vitest';
import { seriousFindings } from './accessibility.ts';
import { picture } from './browser.ts';
import type { Here } from './shell.ts';

/** A picture of one pixel. */
const DOT = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);

/** What may go with a message: images, the tags of documents, an agent. */
export function chatOptionsJourneys(here: Here): void {
  it('an image goes with a message, and stands there after a reload', async () => {
    const { browser } = here();
    const page = await browser.signedIn('/chat', { model: 'compatible/echo' });
    const files = page.locator('input[type=file]');
    await files.setInputFiles({ name: 'wrong.png', mimeType: 'image/png', buffer: DOT });
    await page.getByRole('button', { name: 'Take wrong.png off' }).click();
    await files.setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: DOT });
    await page.getByRole('button', { name: 'Take dot.png off' }).waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('What is this?');
    const sent = page.waitForRequest(/\/chat\/completions$/);
    await page.getByRole('button', { name: 'Send' }).click();
    expect((await sent).postDataJSON().attachments).toEqual([expect.stringMatching(/^ast_/)]);
    await page.waitForURL(/\/chat\/ses_/);
    const mine = page.getByRole('article', { name: 'You' });
    await mine.getByRole('img').waitFor();
    expect(await page.getByRole('button', { name: 'Take dot.png off' }).count()).toBe(0);
    await page.reload();
    await mine.getByRole('img').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await picture(page, 'chat-attachment');
    await page.context().close();
  });

  it('answers rest on documents with a tag, where one is chosen', async () => {
    const { browser, platform } = here();
    const content = 'Boats longer than twelve metres berth at the east quay.';
    const { body: entry } = await platform.client.post('/console/knowledge', { content, tags: ['harbour'] });
    const status = async () => (await platform.client.get(`/console/knowledge/${entry.id}`)).body.status;
    await expect.poll(status, { timeout: 60_000 }).toBe('ready');

    const page = await browser.signedIn('/chat', { phone: true });
    await page.getByRole('button', { name: 'Knowledge' }).click();
    await page.getByRole('button', { name: 'Documents to look in: All documents' }).click();
    await page.getByRole('combobox', { name: 'Only documents with a tag of' }).click();
    await page.getByRole('option', { name: 'harbour' }).click();
    expect(await seriousFindings(page)).toEqual([]);
    await picture(page, 'chat-tags-phone');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Documents to look in: harbour' }).waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('Where do boats longer than twelve metres berth?');
    const sent = page.waitForRequest(/\/chat\/completions$/);
    await page.getByRole('button', { name: 'Send' }).click();
    expect((await sent).postDataJSON().knowledge).toEqual({ tags: ['harbour'] });
    await page.getByRole('list', { name: 'Sources' }).waitFor();
    await page.context().close();
  });

  it('an agent leads a conversation that is begun with it', async () => {
    const { browser, platform } = here();
    const { body: agent } = await platform.client.post('/agents', {
      name: 'Harbour master',
      instructions: 'Be brief.',
    });
    const page = await browser.signedIn('/chat', { model: 'compatible/echo' });
    await page.getByRole('combobox', { name: 'Agent' }).click();
    await page.getByRole('option', { name: 'Harbour master' }).click();
    await picture(page, 'chat-agent');
    await page.getByRole('textbox', { name: 'Message' }).fill('Who are you?');
    const sent = page.waitForRequest(/\/chat\/completions$/);
    await page.getByRole('button', { name: 'Send' }).click();
    expect((await sent).headers()['x-agent-id']).toBe(agent.id);
    await page.getByText('with Harbour master').waitFor();
    await page.context().close();
  });
}
