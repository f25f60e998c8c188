import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Accounts, createAccounts } from '@chorus/accounts';
import { createAssets } from '@chorus/assets';
import { createBlobs } from '@chorus/blobs';
import { NO_ACTOR } from '@chorus/contract';
import { connectDatabase, type Database } from '@chorus/database';
import { connectRedis, type RedisConnection } from '@chorus/events';
import { createLogger } from '@chorus/runtime/log';
import { startRedis, startStore, type TestRedis, type TestStore } from '@chorus/testing';
import { generateSync } from 'otplib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CommandLine, commandLine, type Ran } from '../test-command-line.ts';

let redisServer: TestRedis;
let store: TestStore;
let folder: string;
let dataDir: string;
let database: Database;
let redis: RedisConnection;
let accounts: Accounts;
let admin: CommandLine['run'];
let adminProcess: CommandLine['run'];

beforeAll(async () => {
  [redisServer, store, folder] = await Promise.all([startRedis(), startStore(), mkdtemp(join(tmpdir(), 'chc-'))]);
  // As with `npm start`, the data directory contains the sockets.
  dataDir = join(folder, 'data');
  await mkdir(join(dataDir, 'run'), { recursive: true });
  await symlink(redisServer.socketPath, join(folder, 'redis.sock'));
  const storeSocket = decodeURIComponent(store.uri.replace(/^mongodb:\/\//, '').replace(/\/[^/]*$/, ''));
  await symlink(storeSocket, join(folder, 'store.sock'));
  await writeFile(join(dataDir, 'run', 'instance.json'), JSON.stringify({ sockets: folder }));
  const { run, start } = commandLine(folder, { DATA_DIR: dataDir }, 'admin');
  admin = run;
  adminProcess = (...args) => start(...args).ended;

  const log = createLogger({ name: 'test', level: 'silent' });
  const secretKey = { keys: null, file: join(dataDir, 'secret-key') };
  database = await connectDatabase({ uri: store.uriOf('chorus'), secretKey, log });
  redis = connectRedis({ url: redisServer.url, cluster: false }, 'request');
  const config = {
    accessTokenTtlS: 900,
    refreshTokenTtlS: 3_600,
    auditKeepMs: 86_400_000,
    inviteNewUsers: 'operators',
  } as const;
  accounts = await createAccounts({ database, redis, log, config });
});
afterAll(async () => {
  redis?.disconnect();
  await database?.close();
  await Promise.all([redisServer?.stop(), store?.stop()]);
  await rm(folder, { recursive: true, force: true });
});

const login = (email: string, password: string) =>
  accounts.login({ email, password }, { address: '127.0.0.1' }).then(
    () => 'ok',
    (error) => error.code,
  );
const verified = (secret: string) =>
  accounts.verify(secret).then(
    () => 'ok',
    (error) => error.code,
  );

const recordsOf = ({ out }: Ran) =>
  out
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

test('adds, lists, disables, and enables users, and changes their passwords, like the API', async () => {
  const email = `${randomUUID()}@example.com`;
  const added = await adminProcess(['user', 'add', email.toUpperCase(), '--operator'], { input: 'first password\n' });
  expect(added).toMatchObject({ code: 0, out: expect.stringMatching(/^usr_\w+ /), errors: '' });
  expect(await login(email, 'first password')).toBe('ok');
  expect((await admin(['user', 'list'])).out).toMatch(new RegExp(`usr_\\w+ +${email} +operator +active`));
  const listed = recordsOf(await admin(['user', 'list', '--json']));
  expect(listed).toContainEqual(expect.objectContaining({ email, operator: true, disabled_at: null }));
  const again = await admin(['user', 'add', email, '--json'], { input: 'first password\n' });
  expect(again).toMatchObject({ code: 1, errors: 'This user exists.\n' });
  expect(recordsOf(again)).toEqual([{ type: 'error', error: { code: 'conflict', message: 'This user exists.' } }]);

  const { access_token } = await accounts.login({ email, password: 'first password' }, { address: '127.0.0.1' });
  expect(await verified(access_token)).toBe('ok');
  expect(await admin(['user', 'passwd', email], { input: 'second password' })).toMatchObject({ code: 0 });
  await expect.poll(() => verified(access_token)).toBe('unauthorized');
  expect([await login(email, 'first password'), await login(email, 'second password')]).toEqual([
    'invalid_credentials',
    'ok',
  ]);

  expect((await admin(['user', 'disable', email])).out).toBe(`${email} is disabled.\n`);
  expect(await login(email, 'second password')).toBe('invalid_credentials');
  expect((await admin(['user', 'enable', email])).out).toBe(`${email} is enabled.\n`);
  const { id } = await accounts.users.findByEmail(email);
  const { data } = await accounts.audit.list(`personal:${id}`, { limit: 100 });
  const commands = data.filter(({ actor }) => actor.type === 'command').map(({ action }) => action);
  expect(commands).toEqual(['user.enabled', 'user.disabled', 'password.changed', 'user.created']);
});

test('keeps logins or revokes keys on a password change, and resets two-factor authentication', async () => {
  const email = `${randomUUID()}@example.com`;
  const user = await accounts.users.create(NO_ACTOR, { email, password: 'a password' });
  const { access_token } = await accounts.login({ email, password: 'a password' }, { address: '127.0.0.1' });
  const { secret } = await accounts.apiKeys.create(NO_ACTOR, user, { name: 'x', permissions: ['read'] });
  expect(await admin(['user', 'passwd', email], { input: 'iloveyou\n' })).toMatchObject({
    code: 1,
    errors: expect.stringContaining('most common'),
  });
  const changed = await admin(['user', 'passwd', email, '--keep-logins', '--revoke-keys'], { input: 'another one\n' });
  expect(changed.out).toBe(`The password of ${email} was changed; all keys were revoked.\n`);
  expect(await verified(access_token)).toBe('ok');
  await expect.poll(() => verified(secret)).toBe('unauthorized');

  expect((await admin(['user', 'reset-totp', email])).errors).toBe('Two-factor authentication is off.\n');
  const actor = { ...NO_ACTOR, address: '127.0.0.1' };
  const begun = await accounts.totp.begin(actor, user, 'another one');
  await accounts.totp.confirm(actor, user, generateSync({ secret: begun.secret }));
  expect(await login(email, 'another one')).toBe('totp_required');
  expect((await admin(['user', 'reset-totp', email])).out).toBe(`Two-factor authentication of ${email} is off.\n`);
  expect(await login(email, 'another one')).toBe('ok');
});

test('refuses weak passwords and passwords as arguments', async () => {
  const email = `${randomUUID()}@example.com`;
  for (const [args, input] of [
    [['user', 'add', email, 'a password'], ''],
    [['user', 'add', email, '--password', 'a password'], ''],
    [['user', 'add', email], ''],
    [['user', 'add', email], 'short\n'],
    [['user', 'add', 'nobody'], 'a password\n'],
    [['user', 'remove', email], ''],
  ] as const) {
    const ran = await admin([...args], { input });
    expect([args, ran.code]).toEqual([args, 2]);
    expect(ran.errors).toContain('Usage: npm run admin -- user');
  }
  expect(await database.users.findByEmail(email)).toBeNull();
});

test('adds and lists workspaces, and adds, changes, and removes members', async () => {
  const [owner, other] = [`${randomUUID()}@example.com`, `${randomUUID()}@example.com`];
  for (const email of [owner, other]) await accounts.users.create(NO_ACTOR, { email, password: 'a password' });
  const id = (await admin(['workspace', 'add', 'Garden', '--owner', owner])).out.split(' ')[0] ?? '';
  expect((await admin(['workspace', 'list'])).out).toContain(`${id}  Garden`);
  expect((await admin(['workspace', 'member', id, other, 'viewer'])).out).toBe(`${other} is viewer.\n`);
  expect((await admin(['workspace', 'member', id, other, 'editor'])).out).toBe(`${other} is editor.\n`);
  const members = (await admin(['workspace', 'member', id])).out;
  expect(members).toMatch(new RegExp(`${owner} +owner`));
  expect(members).toMatch(new RegExp(`${other} +editor`));
  expect(await admin(['workspace', 'member', id, owner, 'none'])).toMatchObject({
    code: 1,
    errors: expect.stringContaining('needs an owner'),
  });
  const left = await admin(['workspace', 'member', id, other, 'none', '--json']);
  expect(recordsOf(left)).toEqual([expect.objectContaining({ email: other, role: null })]);
  expect((await accounts.workspaces.listMembers(id, { limit: 10 })).data).toHaveLength(1);
});

test('adds, lists, and revokes keys, which API processes notice within a second', async () => {
  const email = `${randomUUID()}@example.com`;
  await accounts.users.create(NO_ACTOR, { email, password: 'a password' });
  const limits = ['--permission', 'read', '--permission', 'run', '--rate', '60', '--expires', '2100-01-01T00:00:00Z'];
  const made = await admin(['key', 'add', email, 'CI', ...limits]);
  const secret = made.out.trim();
  const { key } = await accounts.verify(secret);
  expect(key).toMatchObject({ permissions: ['read', 'run'], rate_limit: 60, workspace_id: null });
  const listed = (await admin(['key', 'list', email])).out;
  expect(listed).toContain('2100-01-01T00:00:00.000Z');
  expect(listed).not.toContain(secret);
  expect((await admin(['key', 'revoke', email, key?.id ?? ''])).code).toBe(0);
  await expect.poll(() => verified(secret)).toBe('unauthorized');
  expect((await admin(['key', 'add', email, 'CI', '--permission', 'all'])).code).toBe(2);
  expect((await admin(['key', 'list', 'nobody@example.com'])).errors).toBe('There is no such user.\n');
});

test('erases a user and a workspace after confirmation', async () => {
  const email = `${randomUUID()}@example.com`;
  const { id } = await accounts.users.create(NO_ACTOR, { email, password: 'a password' });
  const owner = { scope: 'personal', user_id: id, workspace_id: null } as const;
  await database.sessions.create(owner, { title: 'Secret', pinned: false, starred: false, metadata: {} });
  const { id: workspace } = await accounts.workspaces.create(NO_ACTOR, id, 'Garden');
  const log = createLogger({ name: 'test', level: 'silent' });
  const blobs = createBlobs({ kind: 'files', folder: join(dataDir, 'blobs') }, log);
  const assets = createAssets({ database, blobs, log });
  for (const [body, of] of [
    ['theirs', owner],
    ['their workspace’s', { scope: 'workspace', user_id: id, workspace_id: workspace }],
  ] as const)
    await assets.create({ owner: of, body: Buffer.from(body), filename: null });
  expect((await blobs.list()).blobs).toHaveLength(2);

  expect(await admin(['erase', 'user', email])).toMatchObject({ code: 2, errors: expect.stringContaining('--yes') });
  const { id: other } = await accounts.users.create(NO_ACTOR, {
    email: `${randomUUID()}@example.com`,
    password: 'a password',
  });
  await accounts.workspaces.addMember(NO_ACTOR, workspace, other, 'editor');
  expect(await admin(['erase', 'user', email, '--yes'])).toMatchObject({
    code: 1,
    errors: expect.stringContaining(`only owner of Garden (${workspace})`),
  });
  expect(await login(email, 'a password')).toBe('ok');
  expect((await admin(['erase', 'workspace', workspace, '--yes'])).out).toMatch(
    /^Erased Garden: .*1 assets, .*1 workspaces\.\n$/,
  );
  expect((await blobs.list()).blobs).toHaveLength(1);
  // A workspace is erased with its last member.
  await accounts.workspaces.create(NO_ACTOR, id, 'Pond');
  const { id: gone } = await accounts.workspaces.create(NO_ACTOR, id, 'Well');
  await accounts.workspaces.remove(NO_ACTOR, gone);
  const { id: left } = await accounts.workspaces.create(NO_ACTOR, other, 'Meadow');
  await accounts.workspaces.remove(NO_ACTOR, left);
  const erased = await admin(['erase', 'user', email, '--yes']);
  expect(erased.out).toMatch(/^Erased Pond: .*\nErased Well: .*\nErased .*: 1 sessions, .*1 users\.\n$/);
  expect((await admin(['erase', 'deleted', '--yes'])).out).toMatch(/^Erased Meadow: .*1 workspaces\.\n$/);
  expect((await admin(['erase', 'deleted', '--yes'])).out).toBe('There is nothing to erase.\n');
  expect(await login(email, 'a password')).toBe('invalid_credentials');
  expect((await blobs.list()).blobs).toEqual([]);
  expect(await database.users.findById(id)).toBeNull();
  expect((await database.sessions.list(owner, { limit: 9 })).data).toEqual([]);
  expect((await admin(['erase', 'user', email, '--yes'])).errors).toBe('There is no such user.\n');
});

test('refuses all access tokens after a revocation and keeps logins', async () => {
  const email = `${randomUUID()}@example.com`;
  await accounts.users.create(NO_ACTOR, { email, password: 'a password', operator: true });
  const login = await accounts.login({ email, password: 'a password' }, { address: '127.0.0.1' });
  expect(await verified(login.access_token)).toBe('ok');
  expect((await admin(['signing-key'])).code).toBe(2);
  const id = (await admin(['signing-key', 'revoke'])).out.trim();
  await expect.poll(() => verified(login.access_token)).toBe('unauthorized');
  expect((await database.signingKeys.list()).map((key) => key.id)).toEqual([id]);
  expect(await verified((await accounts.refresh(login.refresh_token)).access_token)).toBe('ok');
});

test('rotates the secret key of a running platform, one command at a time', async () => {
  const email = `${randomUUID()}@example.com`;
  await accounts.users.create(NO_ACTOR, { email, password: 'a password', operator: true });
  const login = await accounts.login({ email, password: 'a password' }, { address: '127.0.0.1' });
  const file = join(dataDir, 'secret-key');
  const before = { id: database.secretBox.keyId, text: await readFile(file, 'utf8') };
  const [one, two] = await Promise.all([
    adminProcess(['secret-key', 'rotate', '--json']),
    adminProcess(['secret-key', 'rotate', '--json']),
  ]);
  const done = [one, two].filter(({ code }) => code === 0);
  for (const { code, errors } of [one, two]) if (code !== 0) expect(errors).toContain('Another command is rotating');
  const keys = (await readFile(file, 'utf8')).trim().split('\n');
  expect(keys).toHaveLength(1 + done.length);
  expect(keys.at(-1)).toBe(before.text.trim());
  expect(done.length).toBeGreaterThan(0);
  // Running processes continue and encrypt with the new key.
  const renewed = await accounts.refresh(login.refresh_token);
  expect(await verified(renewed.access_token)).toBe('ok');
  expect(database.secretBox.seal('c', 'x')).not.toContain(before.id);
  const { data } = await accounts.audit.list(`personal:${login.user.id}`, { limit: 9, action: 'secret_key.rotated' });
  expect(data).toHaveLength(done.length);

  const given = await admin(['secret-key', 'rotate'], { env: { SECRET_KEY: keys[0] } });
  expect(given).toMatchObject({ code: 1, errors: expect.stringContaining('SECRET_KEY has one key') });
  const changed = await admin(['user', 'list'], { env: { SECRET_KEY: 'x'.repeat(40) } });
  expect(changed).toMatchObject({ code: 1, errors: expect.stringContaining('SECRET_KEY does not fit') });
  expect(await admin(['secret-key', 'reset'])).toMatchObject({ code: 2, errors: expect.stringContaining('--yes') });
});

test('reports a stopped platform and invalid configuration', async () => {
  const none = await admin(['user', 'list'], { env: { DATA_DIR: join(folder, 'nothing') } });
  expect(none).toMatchObject({ code: 1, errors: expect.stringContaining('is not running') });
  const gone = join(folder, 'gone');
  await mkdir(join(gone, 'run'), { recursive: true });
  await writeFile(join(gone, 'run', 'instance.json'), JSON.stringify({ sockets: gone }));
  const stopped = await admin(['user', 'list'], { env: { DATA_DIR: gone } });
  expect(stopped).toMatchObject({ code: 1, errors: expect.stringContaining('is not running') });
  const [wrong, unknown] = await Promise.all([
    adminProcess(['user', 'list'], { env: { PORT: 'x' } }),
    adminProcess(['user', 'remove', 'nobody@example.com']),
  ]);
  expect(wrong).toMatchObject({ code: 1, errors: expect.stringContaining('PORT') });
  expect(unknown).toMatchObject({ code: 2, out: '', errors: expect.stringContaining('Usage: npm run admin -- user') });
});
