import { expect, it } from 'vitest';
import { seriousFindings } from './accessibility.ts';
import { picture } from './browser.ts';
import type { Here } from './shell.ts';

export function rolesJourneys(here: Here): void {
  it('a viewer is offered nothing that viewers may not do, and told why', async () => {
    const { browser, platform } = here();
    const { body: workspace } = await platform.client.post('/workspaces', { name: 'Library' });
    const invited = { email: 'vera@example.org', role: 'viewer' };
    const { body: invitation } = await platform.client.post(`/workspaces/${workspace.id}/invitations`, invited);
    const page = await browser.newPage(`/invitation#${invitation.token}`);
    await page.locator('input[name=password]').fill('a password of Vera');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('button', { name: 'Scope: Personal' }).click();
    await page.getByRole('menuitem', { name: workspace.name }).click();

    await page.getByText('Only editors of this workspace write here').waitFor();
    expect(await page.getByRole('textbox', { name: 'Message' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Studio', exact: true }).click();
    await page.getByText('Only editors of this workspace make images').waitFor();
    await page.getByRole('link', { name: 'Gallery' }).click();
    await page.getByText('Nothing here yet').waitFor();
    await page.getByRole('link', { name: 'Knowledge', exact: true }).click();
    await page.getByText('Editors of this workspace add them').waitFor();
    expect(await page.getByRole('button', { name: /^Add/ }).count()).toBe(0);
    await page.getByRole('link', { name: 'Ask' }).click();
    await page.getByText('Only editors of this workspace ask its documents').waitFor();
    await page.getByRole('link', { name: 'Archive', exact: true }).click();
    await page.getByText('Editors of this workspace keep texts here').waitFor();
    expect(await page.getByRole('button', { name: 'New text' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Voice', exact: true }).click();
    await page.getByText('Only editors of this workspace talk here').waitFor();
    await picture(page, 'voice-viewer');

    await page.getByRole('link', { name: 'Jobs', exact: true }).click();
    await page.getByText('Nothing has run yet').waitFor();
    expect(await page.getByRole('button', { name: 'Queues' }).count()).toBe(0);
    const item = { body: { model: 'compatible/refuse', messages: [{ role: 'user', content: 'One' }] } };
    const inWorkspace = platform.client.inWorkspace(workspace.id);
    await inWorkspace.post('/batches', { kind: 'chat.completion', items: [item] });
    await page.getByRole('link', { name: 'Batches' }).click();
    await page.getByText('Who began it, and admins, can run the others again.').waitFor();

    await page.getByRole('link', { name: 'Settings', exact: true }).click();
    await page.getByText('Admins and owners invite, change and remove members.').waitFor();
    expect(await page.getByRole('button', { name: 'Invite someone' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Agents' }).click();
    await page.getByText('Editors of this workspace make them').waitFor();
    expect(await page.getByRole('button', { name: 'New agent' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByText('Only admins of this workspace see the secret of its webhooks').waitFor();
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByText('Only admins of this workspace see its audit log').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await picture(page, 'settings-viewer');
    await page.context().close();
  });
}
