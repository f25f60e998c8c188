import { expect, it } from 'vitest';
import { findings } from './accessibility.ts';
import { screenshot } from './browser.ts';
import type { Fixtures } from './shell.ts';

export function rolesJourneys(fixtures: Fixtures): void {
  it('offers viewers only what they may do, and explains why', async () => {
    const { browser, platform } = fixtures();
    const { body: workspace } = await platform.client.post('/workspaces', { name: 'Library' });
    const invited = { email: 'vera@example.org', role: 'viewer' };
    const { body: invitation } = await platform.client.post(`/workspaces/${workspace.id}/invitations`, invited);
    const page = await browser.newPage(`/invitation#${invitation.token}`);
    await page.locator('input[name=password]').fill('a password of Vera');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('button', { name: 'Workspace: Personal' }).click();
    await page.getByRole('menuitem', { name: workspace.name }).click();

    await page.getByText('Only editors of this workspace can write here').waitFor();
    expect(await page.getByRole('textbox', { name: 'Message' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Studio', exact: true }).click();
    await page.getByText('Only editors of this workspace can create images').waitFor();
    await page.getByRole('link', { name: 'Gallery' }).click();
    await page.getByText('Nothing here yet').waitFor();
    await page.getByRole('link', { name: 'Knowledge', exact: true }).click();
    await page.getByText('Only editors of this workspace can add documents').waitFor();
    expect(await page.getByRole('button', { name: /^Add/ }).count()).toBe(0);
    await page.getByRole('link', { name: 'Ask' }).click();
    await page.getByText('Only editors of this workspace can ask its documents').waitFor();
    await page.getByRole('link', { name: 'Archive', exact: true }).click();
    await page.getByText('Only editors of this workspace can add entries').waitFor();
    expect(await page.getByRole('button', { name: 'New entry' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Voice', exact: true }).click();
    await page.getByText('Only editors of this workspace can start calls').waitFor();
    await screenshot(page, 'voice-viewer');

    await page.getByRole('link', { name: 'Jobs', exact: true }).click();
    await page.getByText('No jobs yet').waitFor();
    expect(await page.getByRole('button', { name: 'Queues' }).count()).toBe(0);
    const item = { body: { model: 'compatible/refuse', messages: [{ role: 'user', content: 'One' }] } };
    const inWorkspace = platform.client.inWorkspace(workspace.id);
    await inWorkspace.post('/batches', { kind: 'chat.completion', items: [item] });
    await page.getByRole('link', { name: 'Batches' }).click();
    await page.getByText('Only its creator and admins can retry this.').waitFor();

    await page.getByRole('link', { name: 'Settings', exact: true }).click();
    await page.getByText('Only admins and owners can invite, change, and remove members.').waitFor();
    expect(await page.getByRole('button', { name: 'Invite someone' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Agents' }).click();
    await page.getByText('Only editors of this workspace can create agents').waitFor();
    expect(await page.getByRole('button', { name: 'New agent' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByText('Only admins of this workspace can see its webhook secret').waitFor();
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByText('Only admins of this workspace can see its audit log').waitFor();
    expect(await findings(page)).toEqual([]);
    await screenshot(page, 'settings-viewer');
    await browser.leave(page);
  });
}
