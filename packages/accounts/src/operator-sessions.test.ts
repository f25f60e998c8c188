import { afterAll, beforeAll, expect, test } from 'vitest';
import { codeOf, freshAddress, PASSWORD, startAccounts, type TestAccounts } from './test-accounts.ts';

let own: TestAccounts;
beforeAll(async () => {
  own = await startAccounts();
});
afterAll(() => own.stop());

const NOBODY = { user_id: null, key_id: null, address: '', request_id: null };

async function freshOperator() {
  const { database, accounts } = own;
  const { password_hash } = await own.freshUser();
  const email = `${freshAddress()}@example.org`;
  const user = await database.users.create({ email, password_hash, operator: true });
  const { access_token } = await accounts.login({ email, password: PASSWORD }, { address: freshAddress() });
  return { user, login: await accounts.verify(access_token) };
}

test('a ticket becomes a session once, and any process accepts the session', async () => {
  const { operatorSessions } = own.accounts;
  const { login } = await freshOperator();
  const { ticket } = await operatorSessions.issueTicket(login);
  const session = await operatorSessions.open(ticket);
  expect(await own.elsewhere.operatorSessions.verify(session)).toEqual(login);
  expect(await codeOf(operatorSessions.open(ticket))).toBe('unauthorized');
});

test('rejects other users, keys that may not manage, and tickets or tokens for other purposes', async () => {
  const { accounts } = own;
  const { operatorSessions, tickets } = accounts;
  const stranger = await own.loggedIn();
  expect(await codeOf(operatorSessions.issueTicket(await accounts.verify(stranger.access_token)))).toBe('forbidden');

  const { user, login } = await freshOperator();
  const { secret } = await accounts.apiKeys.create(NOBODY, user, { name: 'x', permissions: ['read', 'run'] });
  expect(await codeOf(operatorSessions.issueTicket(await accounts.verify(secret)))).toBe('forbidden');

  const scope = { scope_type: 'personal', workspace_id: null, agent_id: null } as const;
  const [voice, queues] = await Promise.all([tickets.issue(login, scope), operatorSessions.issueTicket(login)]);
  expect(await codeOf(operatorSessions.open(voice.ticket))).toBe('unauthorized');
  expect(await codeOf(tickets.redeem(queues.ticket))).toBe('unauthorized');

  const session = await operatorSessions.open(queues.ticket);
  expect(await codeOf(accounts.verify(session))).toBe('unauthorized');
  const [head = '', body = ''] = session.split('.');
  const unsigned = `${Buffer.from('{"alg":"none","typ":"operator+jwt"}').toString('base64url')}.${body}.`;
  for (const wrong of ['', 'x', stranger.access_token, `${head}.${body}.${'A'.repeat(43)}`, unsigned])
    expect(await codeOf(operatorSessions.verify(wrong))).toBe('unauthorized');
});

test('operator sessions end when the signing keys are revoked; new ones work in any process', async () => {
  const { accounts, elsewhere } = own;
  const { login } = await freshOperator();
  const openSession = async () =>
    accounts.operatorSessions.open((await accounts.operatorSessions.issueTicket(login)).ticket);
  const session = await openSession();
  expect(await elsewhere.operatorSessions.verify(session)).toEqual(login);
  await accounts.revokeSigningKeys(NOBODY);
  for (const { operatorSessions } of [accounts, elsewhere])
    await expect.poll(() => codeOf(operatorSessions.verify(session))).toBe('unauthorized');
  expect(await elsewhere.operatorSessions.verify(await openSession())).toEqual(login);
});

test('a session ends with the login that requested it', async () => {
  const { accounts, elsewhere } = own;
  const { login } = await freshOperator();
  const session = await accounts.operatorSessions.open((await accounts.operatorSessions.issueTicket(login)).ticket);
  await accounts.logout(login, NOBODY);
  for (const { operatorSessions } of [accounts, elsewhere])
    await expect.poll(() => codeOf(operatorSessions.verify(session))).toBe('unauthorized');
});
