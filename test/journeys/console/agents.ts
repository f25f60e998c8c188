import type { Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { startCountingMcpServer } from '../agents/counting-mcp-server.ts';
import { findings } from './accessibility.ts';
import { navigate, screenshot } from './browser.ts';
import type { Fixtures } from './shell.ts';

/** Calls the first offered tool, then repeats its result. */
const MODEL = 'compatible/call@agents';

const answer = (page: Page) => page.getByRole('article', { name: 'Answer' }).last();
const step = (page: Page) => answer(page).getByRole('list', { name: 'Steps' }).getByRole('listitem');

async function ask(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text);
  await page.getByRole('button', { name: 'Send' }).click();
}

/** Replaces the browser's notifications. */
const NOTIFICATIONS = `
  window.notified = [];
  window.Notification = class {
    static permission = 'default';
    static requestPermission = async () => (Notification.permission = 'granted');
    constructor(title, { body }) { window.notified.push([title, body]); }
  };`;

/** Makes the page believe that it is hidden, or visible again. */
const hide = (isHidden: boolean) =>
  `Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
   document.dispatchEvent(new Event('visibilitychange'));`;

export function agentsJourneys(fixtures: Fixtures): void {
  it('shows steps, which are approved or denied in the answer and survive a reload', async () => {
    const { browser, platform } = fixtures();
    const mcp = await startCountingMcpServer(() => 'mail 1');
    onTestFinished(() => mcp.close());
    const { body: server } = await platform.client.post('/mcp-servers', { name: 'Letters', url: mcp.url });
    const tools = [{ type: 'mcp', server_id: server.id, allowed_tools: ['mail'] }];
    const { body: agent } = await platform.client.post('/agents', { name: 'Writer', model: MODEL, tools });
    const page = await browser.signedIn('/chat');
    await page.getByRole('combobox', { name: 'Agent' }).click();
    await page.getByRole('option', { name: 'Writer' }).click();
    await ask(page, 'Write to Ada');
    const approval = page.getByRole('region', { name: 'Approve mail' });
    await approval.getByText('7', { exact: true }).waitFor();
    expect(mcp.calls).toEqual([]);
    expect(await findings(page)).toEqual([]);
    await screenshot(page, 'chat-approval');
    await page.reload();
    await approval.getByRole('button', { name: 'Approve' }).click();
    await answer(page).getByText('The result is').waitFor();
    expect(mcp.calls).toMatchObject([{ name: 'mail' }]);
    await answer(page).getByRole('button', { name: 'Regenerate' }).waitFor();
    await page.reload();
    await step(page).getByText('mail', { exact: true }).click();
    await step(page).getByText('mail 1', { exact: true }).waitFor();
    expect(await findings(page)).toEqual([]);
    await screenshot(page, 'chat-steps');

    // While hidden, waiting answers are counted in the title, or notified.
    await page.evaluate(hide(true));
    await ask(page, 'Write to Bob');
    await expect.poll(() => page.title()).toMatch(/^\(1\) Write to Ada/);
    await page.evaluate(hide(false));
    expect(await page.title()).toMatch(/^Write to Ada/);
    await approval.getByRole('button', { name: 'Deny' }).click();
    await approval.getByLabel('Reason').fill('Bob is away');
    await approval.getByRole('button', { name: 'Deny' }).click();
    await answer(page).getByRole('button', { name: 'Regenerate' }).waitFor();
    await step(page).getByText('Denied').click();
    await step(page).getByText('Bob is away').waitFor();
    expect(mcp.calls).toHaveLength(1);

    await page.getByRole('link', { name: 'Jobs', exact: true }).click();
    await page.getByRole('list', { name: 'Jobs' }).getByRole('link').nth(1).click();
    const trace = page.getByRole('region', { name: 'Trace' }).getByRole('listitem');
    await trace.first().waitFor();
    expect((await trace.allInnerTexts()).map((text) => text.split('\n')[0])).toEqual([
      'Queue',
      'Model and waiting',
      'mail',
      'Model and waiting',
    ]);
    expect(await findings(page)).toEqual([]);
    await screenshot(page, 'job-trace');

    await navigate(page, '/settings/account');
    await page.evaluate(NOTIFICATIONS);
    await page.getByRole('switch', { name: 'Notify me about answers' }).click();
    await page.getByRole('switch', { name: 'Notify me about answers', checked: true }).waitFor();
    expect(await findings(page)).toEqual([]);
    await page.evaluate(hide(true));
    const headers = { 'x-agent-id': agent.id, prefer: 'respond-async' };
    await platform.client.chat({ message: 'Write to Cy', model: MODEL }, { headers });
    const notified = () => page.evaluate('window.notified');
    await expect.poll(notified).toEqual([['An answer needs your approval', 'Write to Cy']]);
    expect(await page.title()).toMatch(/^Account/);
    await page.evaluate(hide(false));
    await browser.leave(page);
  });
}

export function toolsJourneys(fixtures: Fixtures): void {
  it('registers and tests an MCP server, and gives it to an agent', async () => {
    const { browser } = fixtures();
    const mcp = await startCountingMcpServer();
    onTestFinished(() => mcp.close());
    const page = await browser.signedIn('/settings/tools');
    await page.getByRole('button', { name: 'Add server' }).click();
    const adding = page.getByRole('dialog', { name: 'Add MCP server' });
    await adding.getByLabel(/^Name/).fill('Post office');
    await adding.getByLabel('Address').fill(mcp.url);
    await adding.getByRole('button', { name: 'Add header' }).click();
    await adding.getByLabel('Header name').fill('Authorization');
    await adding.getByLabel('Header value').fill('Bearer top-secret');
    await adding.getByRole('button', { name: 'Add', exact: true }).click();
    const card = page.getByRole('article', { name: 'Post office' });
    await card.getByText('Headers: authorization').waitFor();
    expect(await page.content()).not.toContain('top-secret');
    await card.getByRole('button', { name: 'Test' }).click();
    const tools = page.getByRole('list', { name: 'Tools' }).getByRole('listitem');
    await tools.first().waitFor();
    expect(await tools.allInnerTexts()).toEqual([
      expect.stringMatching(/read\s+Only reads/),
      expect.stringMatching(/label\s/),
      expect.stringMatching(/mail\s+Makes changes/),
    ]);
    expect(await findings(page)).toEqual([]);
    await screenshot(page, 'settings-tools');
    await page.keyboard.press('Escape');

    await page.getByRole('link', { name: 'Agents', exact: true }).click();
    await page.getByRole('button', { name: 'New agent' }).click();
    const dialog = page.getByRole('dialog', { name: 'New agent' });
    await dialog.getByLabel(/^Name/).fill('Clerk');
    await dialog.getByRole('combobox', { name: 'Model', exact: true }).fill(MODEL);
    await page.getByRole('option', { name: MODEL }).click();
    await dialog.getByRole('button', { name: 'Add tool' }).click();
    await page.getByRole('menuitem', { name: 'Post office' }).click();
    await dialog.getByRole('combobox', { name: 'Allowed tools' }).click();
    await page.getByRole('option', { name: 'mail' }).click();
    await page.keyboard.press('Escape');
    expect(await findings(page)).toEqual([]);
    await screenshot(page, 'settings-agent-tools');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('article', { name: 'Clerk' }).getByText('1 tool').waitFor();
    await browser.leave(page);
  });
}
