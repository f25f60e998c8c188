import { randomUUID } from 'node:crypto';
import { type ChorusError, newId } from '@chorus/contract';
import type { Database } from '@chorus/database';
import { startRedis } from '@chorus/testing';
import { Redis } from 'ioredis';
import mongoose from 'mongoose';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Accounts } from './accounts-port.ts';
import { codeOf, freshAddress, PASSWORD, startAccounts, type TestAccounts } from './test-accounts.ts';

let test: TestAccounts;
let database: Database;
let accounts: Accounts;
let elsewhere: Accounts;

beforeAll(async () => {
  test = await startAccounts();
  ({ database, accounts, elsewhere } = test);
});
afterAll(() => test?.stop());

it('refuses passwords if they are turned off, but not users who log in elsewhere', async () => {
  const without = await test.start({ passwordLogin: false });
  const { id, email } = await test.freshUser();
  const from = { address: freshAddress() };
  const attempts = [
    without.login({ email, password: PASSWORD }, from),
    without.loginByCode({ challenge: 'x', code: '123456' }, from),
    without.acceptInvitation({ token: 'x', password: PASSWORD }, from),
  ];
  expect(await Promise.all(attempts.map(codeOf))).toEqual(['forbidden', 'forbidden', 'forbidden']);
  const { access_token } = await without.loginAs(id, from);
  expect((await without.verify(access_token)).user.id).toBe(id);
});

describe('the first user', () => {
  it('is created once, even if several processes start at the same time', async () => {
    const processes = await Promise.all(
      Array.from({ length: 3 }, async () => test.start({}, { database: await test.openDatabase('first_user') })),
    );
    const made = await Promise.all(processes.map((one) => one.ensureFirstUser({ email: null, password: null })));
    const [created] = made.filter((one) => one.created);
    expect(made.filter((one) => one.created)).toHaveLength(1);
    expect(created).toEqual({ email: 'admin@localhost', password: expect.any(String), created: true });
    expect(created?.password).toMatch(/^[0-9a-z]{5}(-[0-9a-z]{5}){3}$/);
    for (const other of made.filter((one) => !one.created))
      expect(other).toEqual({ email: 'admin@localhost', created: false });
    const answer = await processes[0]!.login(
      { email: ' Admin@localhost', password: created!.password! },
      { address: freshAddress() },
    );
    expect(answer.user).toMatchObject({ email: 'admin@localhost', operator: true, object: 'user' });
    const later = await processes[1]!.ensureFirstUser({ email: 'other@example.org', password: 'x' });
    expect(later).toEqual({ email: 'admin@localhost', created: false });
  });
});

describe('login', () => {
  it('returns tokens and the user', async () => {
    const user = await test.freshUser();
    const answer = await accounts.login({ email: user.email, password: PASSWORD }, { address: freshAddress() });
    expect(answer).toEqual({
      access_token: expect.stringMatching(/^ey/),
      token_type: 'Bearer',
      expires_in: 900,
      refresh_token: expect.stringMatching(/^chr_[\w-]{64}$/),
      user: { id: user.id, object: 'user', email: user.email, operator: false, created_at: expect.any(String) },
    });
    expect(await elsewhere.verify(answer.access_token)).toMatchObject({ user: answer.user, key: null });
  });

  it('returns the same error for a wrong password and an unknown user', async () => {
    const address = freshAddress();
    const user = await test.freshUser();
    const failures = await Promise.all(
      [
        { email: user.email, password: 'wrong' },
        { email: `${randomUUID()}@example.org`, password: PASSWORD },
      ].map((credentials) => accounts.login(credentials, { address }).catch((error: ChorusError) => error)),
    );
    expect(failures[0]).toMatchObject({ code: 'invalid_credentials', status: 401 });
    expect(failures[1]).toEqual(failures[0]);
  });

  it('slows down guessing across processes, and admits the right password after the wait', async () => {
    const user = await test.freshUser();
    const address = freshAddress();
    const guess = (through: Accounts) => codeOf(through.login({ email: user.email, password: 'wrong' }, { address }));
    const right = () => accounts.login({ email: user.email, password: PASSWORD }, { address });
    // All at once, so that the wait caused by the fifth is still in force for the later ones.
    const guesses = Array.from({ length: 12 }, (_, n) => guess(n % 2 === 0 ? accounts : elsewhere));
    const [refused, codes] = await Promise.all([right().catch((error: ChorusError) => error), Promise.all(guesses)]);
    expect(codes.filter((code) => code === 'invalid_credentials')).toHaveLength(5);
    expect(codes.filter((code) => code === 'rate_limited')).toHaveLength(7);
    expect(refused).toMatchObject({ code: 'rate_limited', status: 429, retryAfterS: 1 });
    // Other addresses of this user and other users of this address are unaffected.
    expect(await codeOf(accounts.login({ email: user.email, password: PASSWORD }, { address: freshAddress() }))).toBe(
      'ok',
    );
    const neighbour = await test.freshUser();
    expect(await codeOf(accounts.login({ email: neighbour.email, password: PASSWORD }, { address }))).toBe('ok');
    // A client that has waited gets in, even though it failed meanwhile, and its count restarts at zero.
    await expect.poll(() => codeOf(right()), { interval: 100 }).toBe('ok');
    expect(await guess(accounts)).toBe('invalid_credentials');
    expect(await codeOf(right())).toBe('ok');
  });

  it('slows down guesses of one account from many addresses, except from known ones', async () => {
    const user = await test.freshUser();
    const home = freshAddress();
    const from = (address: string, password: string) =>
      codeOf(accounts.login({ email: user.email, password }, { address }));
    expect(await from(home, PASSWORD)).toBe('ok');
    const guesses = Array.from({ length: 25 }, () => from(freshAddress(), 'wrong'));
    const [right, codes] = await Promise.all([from(freshAddress(), PASSWORD), Promise.all(guesses)]);
    expect(codes.filter((code) => code === 'rate_limited')).toHaveLength(5);
    expect(right).toBe('rate_limited');
    expect(await from(home, PASSWORD)).toBe('ok');
  });

  it('never counts correct passwords as failures, even many at once', async () => {
    const address = freshAddress();
    const users = await Promise.all(Array.from({ length: 8 }, test.freshUser));
    for (let round = 0; round < 3; round++) {
      const codes = users.map(({ email }) => codeOf(accounts.login({ email, password: PASSWORD }, { address })));
      expect(new Set(await Promise.all(codes))).toEqual(new Set(['ok']));
    }
  });

  it('throws store_unavailable while Redis is down', async () => {
    const server = await startRedis();
    const connection = new Redis({ path: server.socketPath, maxRetriesPerRequest: null });
    connection.on('error', () => {});
    onTestFinished(async () => {
      connection.disconnect();
      await server.stop();
    });
    const own = await test.start({}, { redis: connection });
    await server.kill();
    const user = await test.freshUser();
    const login = own.login({ email: user.email, password: PASSWORD }, { address: freshAddress() });
    await expect(login).rejects.toMatchObject({ code: 'store_unavailable', retryAfterS: 2 });
  });
});

describe('scopes', () => {
  it('follow the headers', async () => {
    const { user } = await test.loggedIn();
    const resolve = (scopeType?: string, workspaceId?: string) =>
      accounts.resolveScope({ credential: { user, key: null }, scopeType, workspaceId });
    expect(await resolve('personal')).toEqual({
      owner: { scope: 'personal', user_id: user.id, workspace_id: null },
      role: 'owner',
    });
    const workspace = await database.workspaces.create({ name: 'Team' }, newId('user'));
    const wrong: [string | undefined, string | undefined][] = [
      [undefined, undefined],
      ['', undefined],
      ['Personal', undefined],
      ['personal, personal', undefined],
      ['personal', workspace.id],
      ['personal', ''],
      ['workspace', undefined],
      ['workspace', ''],
      ['workspace', 'x'],
      ['workspace', `${workspace.id}, ${workspace.id}`],
    ];
    for (const [scopeType, workspaceId] of wrong)
      await expect(resolve(scopeType, workspaceId)).rejects.toMatchObject({
        code: 'invalid_scope',
        status: 422,
        details: [{ path: expect.stringMatching(/^headers\.x-(scope-type|workspace-id)$/) }],
      });
    for (const id of [workspace.id, randomUUID()])
      await expect(resolve('workspace', id)).rejects.toMatchObject({ code: 'workspace_forbidden', status: 403 });

    await database.workspaces.addMember(workspace.id, user.id, 'editor');
    const expected = {
      owner: { scope: 'workspace', user_id: user.id, workspace_id: workspace.id },
      role: 'editor',
    };
    expect(await resolve('workspace', workspace.id)).toEqual(expected);
    expect(await resolve('workspace', workspace.id.toUpperCase())).toEqual(expected);
  });
});

describe('a user who was disabled after logging in', () => {
  it('cannot log in, refresh, or use a token that is still valid', async () => {
    const { user, access_token, refresh_token } = await test.loggedIn();
    expect(await codeOf(accounts.verify(access_token))).toBe('ok');
    const plain = await mongoose.createConnection(test.store.uri).asPromise();
    onTestFinished(() => plain.close());
    const found = { _id: user.id as unknown as mongoose.Types.ObjectId };
    await plain.collection('users').updateOne(found, { $set: { disabled_at: new Date() } });
    const login = accounts.login({ email: user.email, password: PASSWORD }, { address: freshAddress() });
    expect(await codeOf(login)).toBe('invalid_credentials');
    expect(await codeOf(accounts.refresh(refresh_token))).toBe('unauthorized');
    expect(await codeOf(elsewhere.verify(access_token))).toBe('unauthorized');
    await expect
      .poll(() => codeOf(accounts.verify(access_token)), { timeout: 8_000, interval: 250 })
      .toBe('unauthorized');
  });
});
