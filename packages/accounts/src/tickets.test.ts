import { afterAll, beforeAll, expect, test } from 'vitest';
import { codeOf, startAccounts, type TestAccounts } from './test-accounts.ts';

let own: TestAccounts;
beforeAll(async () => {
  own = await startAccounts();
});
afterAll(() => own.stop());

const SCOPE = { scope_type: 'personal', workspace_id: null, agent_id: null } as const;
const NO_ACTOR = { user_id: null, key_id: null, address: '', request_id: null };

test('a ticket works once, in any process, for the user who requested it', async () => {
  const { accounts, elsewhere } = own;
  const credential = await accounts.verify((await own.loggedIn()).access_token);
  const before = Date.now();
  const { ticket, expires_at } = await accounts.tickets.issue(credential, { ...SCOPE, agent_id: 'agt_x' });
  expect(expires_at.getTime()).toBeGreaterThanOrEqual(before + 60_000);
  expect(expires_at.getTime()).toBeLessThanOrEqual(Date.now() + 60_000);
  expect(await elsewhere.tickets.redeem(ticket)).toEqual({ credential, scope: { ...SCOPE, agent_id: 'agt_x' } });
  expect(await codeOf(accounts.tickets.redeem(ticket))).toBe('unauthorized');
  for (const wrong of ['', 'vtk_', `${ticket}x`, `vtk_${'A'.repeat(43)}`])
    expect(await codeOf(accounts.tickets.redeem(wrong))).toBe('unauthorized');
});

test('only one of two simultaneous uses succeeds', async () => {
  const credential = await own.accounts.verify((await own.loggedIn()).access_token);
  const { ticket } = await own.accounts.tickets.issue(credential, SCOPE);
  const codes = await Promise.all([own.accounts, own.elsewhere].map(({ tickets }) => codeOf(tickets.redeem(ticket))));
  expect(codes.sort()).toEqual(['ok', 'unauthorized']);
});

test('refuses tickets whose login has ended, key was revoked or user was disabled', async () => {
  const { accounts } = own;
  const tokens = await own.loggedIn();
  const login = await accounts.verify(tokens.access_token);
  const ofLogin = await accounts.tickets.issue(login, SCOPE);
  await accounts.logout(login, NO_ACTOR);
  await expect.poll(() => codeOf(accounts.verify(tokens.access_token))).toBe('unauthorized');
  expect(await codeOf(accounts.tickets.redeem(ofLogin.ticket))).toBe('unauthorized');

  const user = await own.freshUser();
  const wanted = { name: 'x', permissions: ['run' as const] };
  const made = await accounts.apiKeys.create(NO_ACTOR, user, wanted);
  const key = await accounts.verify(made.secret);
  const [one, two] = await Promise.all([accounts.tickets.issue(key, SCOPE), accounts.tickets.issue(key, SCOPE)]);
  expect((await accounts.tickets.redeem(one.ticket)).credential).toEqual(key);
  await accounts.apiKeys.revoke(NO_ACTOR, user.id, made.id);
  expect(await codeOf(accounts.tickets.redeem(two.ticket))).toBe('unauthorized');
});
