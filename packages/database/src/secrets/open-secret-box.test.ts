import { mkdtemp, readdir, readFile, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createLogger } from '@chorus/runtime/log';
import { addSecretKey } from '@chorus/secrets';
import { sharedStore, startStore, storeIsGiven, type TestDatabases } from '@chorus/testing';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { connectDatabase } from '../connect-database.ts';
import { resetSecrets } from './open-secret-box.ts';

const log = createLogger({ name: 'test', level: 'silent' });

let store: TestDatabases;
let client: MongoClient;
let uri: string;
let folder: string;
let databases = 0;
beforeAll(async () => {
  store = await sharedStore();
  folder = await mkdtemp(join(tmpdir(), 'chorus-secrets-'));
});
afterAll(async () => {
  await store?.stop();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  databases += 1;
  uri = store.uriOf(`secrets_${databases}`);
  client = new MongoClient(uri);
  onTestFinished(() => client.close());
});

const source = () => ({ keys: null, file: join(folder, `key-${databases}`) });

async function open(secretKey: Parameters<typeof connectDatabase>[0]['secretKey'] = source()) {
  const database = await connectDatabase({ uri, secretKey, log });
  onTestFinished(() => database.close());
  return database;
}

const raw = async () => {
  const names = ['secrets', 'signing_keys', 'webhook_secrets'];
  return JSON.stringify(await Promise.all(names.map((name) => client.db().collection(name).find().toArray())));
};

const KEY = { id: 'kid', generation: 1, algorithm: 'EdDSA', public_jwk: { x: 'public' } } as const;

/** A store as an older release left it. */
async function plainStore() {
  const created_at = new Date();
  const secrets = ['refresh_tokens', 'installation'].map((_id) => ({ _id, value: `plain ${_id}`, created_at }));
  await client.db().collection<{ _id: string }>('secrets').insertMany(secrets);
  const { id, ...key } = KEY;
  const signing = { _id: id, ...key, private_jwk: { d: 'plain private' }, created_at };
  await client.db().collection<{ _id: string }>('signing_keys').insertOne(signing);
  const previous = [{ secret: 'plain previous', until: created_at }];
  const webhooks = { _id: 'personal:usr_1', secret: 'plain webhook', created_at, previous };
  await client.db().collection<{ _id: string }>('webhook_secrets').insertOne(webhooks);
}

async function secretsOf(database: Awaited<ReturnType<typeof open>>) {
  const { secret, previous } = await database.webhookSecrets.getOrCreate('personal:usr_1', 'x');
  const [key] = await database.signingKeys.list();
  return [await database.secrets.getOrCreate('refresh_tokens', 'x'), key?.private_jwk.d, secret, previous[0]?.secret];
}

const PLAIN = ['plain refresh_tokens', 'plain private', 'plain webhook', 'plain previous'];

test('one of many processes encrypts plain values of an older release at the first start', async () => {
  await plainStore();
  const all = await Promise.all(Array.from({ length: 4 }, () => open()));
  const stored = await raw();
  for (const secret of PLAIN) expect(stored).not.toContain(secret);
  // Not a secret, since files cannot be found without it.
  expect(stored).toContain('plain installation');
  for (const database of all) expect(await secretsOf(database)).toEqual(PLAIN);
  expect(await all[0]!.secrets.getOrCreate('installation', 'x')).toBe('plain installation');
});

test.skipIf(storeIsGiven)('no file of the store contains plain secrets after the encryption', async () => {
  const own = await startStore();
  onTestFinished(() => own.stop());
  uri = own.uri;
  client = new MongoClient(uri);
  onTestFinished(() => client.close());
  await plainStore();
  const data = join(dirname(decodeURIComponent(/^mongodb:\/\/([^/]+)/.exec(uri)?.[1] ?? '')), 'data');
  const stored = async () =>
    (
      await Promise.all((await readdir(data)).map((name) => readFile(join(data, name), 'latin1').catch(() => '')))
    ).join();
  expect(await stored()).toContain('plain private');
  const database = await open();
  const now = await stored();
  for (const secret of PLAIN) expect(now).not.toContain(secret);
  expect(await secretsOf(database)).toEqual(PLAIN);
});

test('a store without secrets needs no encryption', async () => {
  await open();
  expect(await client.db().collection('secrets').find().toArray()).toMatchObject([{ complete: true }]);
});

test('the next start with a new key encrypts values written with the old one', async () => {
  const [older, newer] = ['o'.repeat(43), 'n'.repeat(43)];
  const from = (...keys: string[]) => open({ keys, file: source().file });
  const behind = await from(older);
  await behind.secrets.getOrCreate('refresh_tokens', 'first word');
  await from(newer, older);
  await behind.secrets.getOrCreate('asset_urls', 'late word');
  await from(newer, older);
  const database = await from(newer);
  expect(await database.secrets.getOrCreate('refresh_tokens', 'x')).toBe('first word');
  expect(await database.secrets.getOrCreate('asset_urls', 'x')).toBe('late word');
});

test('new secrets are stored encrypted, and a process without the key cannot use them', async () => {
  const database = await open();
  await database.secrets.getOrCreate('asset_urls', 'plain text');
  await database.signingKeys.add({ ...KEY, private_jwk: { d: 'plain private' } });
  await database.webhookSecrets.getOrCreate('personal:usr_1', 'plain webhook');
  await database.webhookSecrets.replace('personal:usr_1', 'plain webhook', 'plain newer', new Date(Date.now() + 9_999));
  expect(await raw()).not.toContain('plain');
  expect(await database.webhookSecrets.getOrCreate('personal:usr_1', 'x')).toMatchObject({
    secret: 'plain newer',
    previous: [{ secret: 'plain webhook' }],
  });
  const without = await open(null);
  await expect(without.signingKeys.list()).rejects.toThrow('without SECRET_KEY');
  expect(await without.secrets.getOrCreate('installation', 'word')).toBe('word');
});

test('an interrupted rotation is finished at the next start', async () => {
  await plainStore();
  const running = await open();
  const before = running.secretBox.keyId;
  const { file } = source();
  const old = await readFile(file, 'utf8');
  addSecretKey(file);
  const after = await open();
  expect(after.secretBox.keyId).not.toBe(before);
  expect(await raw()).not.toContain(before);
  // The running process still has the old key.
  expect(await secretsOf(running)).toEqual(PLAIN);
  await running.secrets.getOrCreate('asset_urls', 'made meanwhile');
  expect(await raw()).not.toContain(before);

  // As after kill -9: one value has the new key, but the others and the key record do not.
  const secrets = client.db().collection<{ _id: string; value: string }>('secrets');
  const record = await secrets.findOne({ _id: 'secret_key' });
  addSecretKey(file);
  await (await open()).close();
  await secrets.updateOne({ _id: 'secret_key' }, { $set: { value: record?.value ?? '' } });
  const again = await open();
  expect(await secretsOf(again)).toEqual(PLAIN);
  expect(await raw()).not.toContain(after.secretBox.keyId);
  // Old backups need the older keys.
  expect(await readFile(file, 'utf8')).toContain(old.trim());
});

test('a missing or wrong key is reported at start with the name of its setting, and a reset continues without it', async () => {
  await plainStore();
  const { keyId } = (await open()).secretBox;
  await expect(open({ keys: ['another secret key, of another machine'], file: '' })).rejects.toMatchObject({
    problems: [
      expect.stringMatching(new RegExp(`^SECRET_KEY does not fit: .*${keyId}.*same SECRET_KEY on every machine`)),
    ],
  });
  const { file } = source();
  await unlink(file);
  await expect(open()).rejects.toMatchObject({
    problems: [expect.stringMatching(new RegExp(`^SECRET_KEY is not set and ${file} is missing.*${keyId}`))],
  });
  // No new key is created, which would hide the loss.
  await expect(readFile(file)).rejects.toMatchObject({ code: 'ENOENT' });
  await writeFile(file, 'another secret key, of another machine\n');
  await expect(open()).rejects.toThrow('SECRET_KEY does not fit');

  expect(await resetSecrets(uri)).toBe(4);
  const database = await open();
  expect(await database.secrets.getOrCreate('installation', 'x')).toBe('plain installation');
  expect(await database.secrets.getOrCreate('refresh_tokens', 'made anew')).toBe('made anew');
  expect(await database.signingKeys.list()).toEqual([]);
});
