import { ChorusError } from '@chorus/contract';
import { connectDatabase, type Database } from '@chorus/database';
import { createLogger } from '@chorus/runtime/log';
import { sharedStore, type TestDatabases } from '@chorus/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createFirstUserMaker } from './first-user.ts';
import { verifyPassword } from './passwords/hash-password.ts';

let store: TestDatabases;
let database: Database;

beforeAll(async () => {
  store = await sharedStore();
  database = await connectDatabase({ uri: store.uri, log: createLogger({ name: 'test', level: 'silent' }) });
});
afterAll(async () => {
  await database.close();
  await store.stop();
});

it('refuses a weak password, unless the user already exists', async () => {
  const fresh = await connectDatabase({
    uri: store.uriOf('weak'),
    log: createLogger({ name: 'test', level: 'silent' }),
  });
  try {
    const make = createFirstUserMaker(fresh.users);
    const weak = { email: 'me@example.org', password: 'Password1' };
    await expect(make(weak)).rejects.toMatchObject({
      code: 'invalid_request',
      details: [{ path: 'ADMIN_PASSWORD', message: expect.stringContaining('most common') }],
    });
    expect((await make({ ...weak, password: 'quite another one' })).created).toBe(true);
    expect(await make(weak)).toEqual({ email: 'me@example.org', created: false });
  } finally {
    await fresh.close();
  }
});

it('returns the password even if the answer to the insert was lost', async () => {
  let lost = 0;
  const make = createFirstUserMaker({
    ...database.users,
    create: async (user) => {
      await database.users.create(user);
      lost += 1;
      throw new ChorusError('store_unavailable', 'The answer was lost.');
    },
  });
  const wanted = { email: null, password: null };
  await expect(make(wanted)).rejects.toMatchObject({ code: 'store_unavailable' });
  const made = await make(wanted);
  expect(lost).toBe(1);
  expect(made).toMatchObject({ email: 'admin@localhost', created: true });
  const first = await database.users.findFirst();
  expect(await verifyPassword(first?.password_hash ?? '', made.password ?? '')).toBe(true);
  expect(await make(wanted)).toEqual({ email: 'admin@localhost', created: false });
});
