import { randomBytes, randomUUID } from 'node:crypto';
import { type ChorusError, newId } from '@chorus/contract';
import { connectDatabase, type Database } from '@chorus/database';
import { createLogger } from '@chorus/log';
import { startRedis, startStore, type TestRedis, type TestStore } from '@chorus/testing';
import { Redis } from 'ioredis';
import { exportJWK, generateKeyPair, importJWK, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Accounts, createAccounts } from './accounts.ts';
import { hashPassword } from './passwords.ts';

const log = createLogger({ name: 'test', level: 'silent' });
const PASSWORD = 'correct horse';
let store: TestStore;
let redisServer: TestRedis;
let redis: Redis;
let database: Database;
let accounts: Accounts;
/** Another API process: its own caches. */
let elsewhere: Accounts;
let passwordHash: string;

const config = { accessTokenTtlS: 900, refreshTokenTtlS: 3_600 };
const start = (over: Partial<typeof config> = {}) =>
  createAccounts({ database, redis, log, config: { ...config, ...over } });

beforeAll(async () => {
  [store, redisServer] = await Promise.all([startStore(), startRedis()]);
  redis = new Redis({ path: redisServer.socketPath });
  database = await connectDatabase({ uri: store.uri, log });
  [accounts, elsewhere] = await Promise.all([start(), start()]);
  passwordHash = await hashPassword(PASSWORD);
});
afterAll(async () => {
  redis?.disconnect();
  await database?.close();
  await Promise.all([store?.stop(), redisServer?.stop()]);
});

async function freshUser() {
  const email = `${randomUUID()}@example.org`;
  return database.users.create({ email, password_hash: passwordHash, operator: false });
}

/** An address that no other test uses. */
const freshAddress = () => `10.${Array.from(randomBytes(3)).join('.')}`;

async function loggedIn() {
  const user = await freshUser();
  return accounts.login({ email: user.email, password: PASSWORD }, { address: freshAddress() });
}

const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'ok',
    (error: ChorusError) => error.code,
  );

describe('the first user', () => {
  it('is made once, however many start at the same time', async () => {
    const uri = store.uriOf('first_user');
    const processes = await Promise.all(
      Array.from({ length: 3 }, async () => {
        const own = await connectDatabase({ uri, log });
        onTestFinished(() => own.close());
        return createAccounts({ database: own, redis, log, config });
      }),
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
  it('answers with tokens and the user', async () => {
    const user = await freshUser();
    const answer = await accounts.login({ email: user.email, password: PASSWORD }, { address: freshAddress() });
    expect(answer).toEqual({
      access_token: expect.stringMatching(/^ey/),
      token_type: 'Bearer',
      expires_in: 900,
      refresh_token: expect.stringMatching(/^chr_[\w-]{64}$/),
      user: { id: user.id, object: 'user', email: user.email, operator: false, created_at: expect.any(String) },
    });
    expect(await elsewhere.verifyAccessToken(answer.access_token)).toEqual({ user: answer.user });
  });

  it('says the same of a wrong password and an unknown user', async () => {
    const address = freshAddress();
    const user = await freshUser();
    const failures = await Promise.all(
      [
        { email: user.email, password: 'wrong' },
        { email: `${randomUUID()}@example.org`, password: PASSWORD },
      ].map((credentials) => accounts.login(credentials, { address }).catch((error: ChorusError) => error)),
    );
    expect(failures[0]).toMatchObject({ code: 'invalid_credentials', status: 401 });
    expect(failures[1]).toEqual(failures[0]);
  });

  it('slows down who guesses, over all processes, and lets the right password in after the wait', async () => {
    const user = await freshUser();
    const address = freshAddress();
    const guess = (through: Accounts) => codeOf(through.login({ email: user.email, password: 'wrong' }, { address }));
    const codes = await Promise.all(Array.from({ length: 12 }, (_, n) => guess(n % 2 === 0 ? accounts : elsewhere)));
    expect(codes.filter((code) => code === 'invalid_credentials')).toHaveLength(5);
    expect(codes.filter((code) => code === 'rate_limited')).toHaveLength(7);
    const right = () => accounts.login({ email: user.email, password: PASSWORD }, { address });
    const refused = await right().catch((error: ChorusError) => error);
    expect(refused).toMatchObject({ code: 'rate_limited', status: 429, retryAfterS: 1 });
    // Other addresses of the same user and other users of the same address are not concerned.
    expect(await codeOf(accounts.login({ email: user.email, password: PASSWORD }, { address: freshAddress() }))).toBe(
      'ok',
    );
    const neighbour = await freshUser();
    expect(await codeOf(accounts.login({ email: neighbour.email, password: PASSWORD }, { address }))).toBe('ok');
    // Who waited gets in, although it asked in vain meanwhile, and is counted from the beginning again.
    await expect.poll(() => codeOf(right()), { timeout: 5_000, interval: 100 }).toBe('ok');
    expect(await guess(accounts)).toBe('invalid_credentials');
    expect(await codeOf(right())).toBe('ok');
  });

  it('slows down many addresses that guess one account, but not an address it is used from', async () => {
    const user = await freshUser();
    const home = freshAddress();
    const from = (address: string, password: string) =>
      codeOf(accounts.login({ email: user.email, password }, { address }));
    expect(await from(home, PASSWORD)).toBe('ok');
    const codes = await Promise.all(Array.from({ length: 25 }, () => from(freshAddress(), 'wrong')));
    expect(codes.filter((code) => code === 'rate_limited')).toHaveLength(5);
    expect(await from(freshAddress(), PASSWORD)).toBe('rate_limited');
    expect(await from(home, PASSWORD)).toBe('ok');
  });

  it('never counts right passwords, many at once', async () => {
    const address = freshAddress();
    const users = await Promise.all(Array.from({ length: 8 }, freshUser));
    for (let round = 0; round < 3; round++) {
      const codes = users.map(({ email }) => codeOf(accounts.login({ email, password: PASSWORD }, { address })));
      expect(new Set(await Promise.all(codes))).toEqual(new Set(['ok']));
    }
  });

  it('says store_unavailable while Redis is away', async () => {
    const server = await startRedis();
    const connection = new Redis({ path: server.socketPath, maxRetriesPerRequest: null });
    connection.on('error', () => {});
    onTestFinished(async () => {
      connection.disconnect();
      await server.stop();
    });
    const own = await createAccounts({ database, redis: connection, log, config });
    await server.kill();
    const user = await freshUser();
    const login = own.login({ email: user.email, password: PASSWORD }, { address: freshAddress() });
    await expect(login).rejects.toMatchObject({ code: 'store_unavailable', retryAfterS: 1 });
  });
});

describe('refresh', () => {
  it('gives new tokens, and to a retry the same answer, in whichever process', async () => {
    const first = await loggedIn();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => (n % 2 === 0 ? accounts : elsewhere).refresh(first.refresh_token)),
    );
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(answers[0]?.refresh_token).not.toBe(first.refresh_token);
    expect(await elsewhere.verifyAccessToken(answers[0]!.access_token)).toEqual({ user: first.user });
    const next = await elsewhere.refresh(answers[0]!.refresh_token);
    // The first one's answer was lost after all: still within 10 s.
    expect(await accounts.refresh(first.refresh_token)).toEqual(answers[0]);
    expect(next.refresh_token).not.toBe(answers[0]?.refresh_token);
    expect(await codeOf(accounts.refresh(next.refresh_token))).toBe('ok');
  });

  it('ends the family when an old token comes back', async () => {
    const first = await loggedIn();
    const second = await accounts.refresh(first.refresh_token);
    await ageRotations(first.refresh_token);
    expect(await codeOf(elsewhere.refresh(first.refresh_token))).toBe('refresh_token_reused');
    expect(await codeOf(accounts.refresh(second.refresh_token))).toBe('refresh_token_reused');
    expect(await codeOf(accounts.refresh((await loggedIn()).refresh_token))).toBe('ok');
  });

  it('refuses what never was a token, and what has expired', async () => {
    const { refresh_token } = await loggedIn();
    const other = await loggedIn();
    const strangers = ['', 'x', 'chr_', `chr_${randomBytes(48).toString('base64url')}`, refresh_token.slice(0, -4)];
    for (const token of [...strangers, ` ${refresh_token}`, `${refresh_token}=`, other.access_token])
      expect(await codeOf(accounts.refresh(token))).toBe('unauthorized');
    expect(await codeOf(accounts.refresh(refresh_token))).toBe('ok');

    const brief = await start({ refreshTokenTtlS: 0 });
    const user = await freshUser();
    const expired = await brief.login({ email: user.email, password: PASSWORD }, { address: freshAddress() });
    expect(await codeOf(accounts.refresh(expired.refresh_token))).toBe('unauthorized');
  });

  it('leaves no token in the database', async () => {
    const first = await loggedIn();
    const second = await accounts.refresh(first.refresh_token);
    const stored = JSON.stringify(await database.refreshTokens.find(familyOf(first.refresh_token)));
    for (const token of [first.refresh_token, second.refresh_token]) {
      const bytes = Buffer.from(token.slice(4), 'base64url').subarray(16);
      for (const form of [token, bytes.toString('base64url'), bytes.toString('hex'), bytes.toString('base64')])
        expect(stored).not.toContain(form);
    }
  });
});

const familyOf = (token: string) => Buffer.from(token.slice(4), 'base64url').subarray(0, 16).toString('base64url');

/** As if its last use had been longer ago than any grace. */
async function ageRotations(token: string) {
  const family = (await database.refreshTokens.find(familyOf(token)))!;
  for (let n = 0; n < 8; n++)
    await database.refreshTokens.rotate(family.id, {
      from_hash: family.current_hash,
      to_hash: family.current_hash,
      at: new Date(Date.now() - 60_000),
      expires_at: family.expires_at,
    });
}

describe('access tokens', () => {
  const HOUR = 3_600;
  const claims = (sub: string): JWTPayload => {
    const iat = Math.floor(Date.now() / 1_000);
    return { iss: 'chorus', aud: 'chorus', sub, iat, exp: iat + HOUR, jti: 'x' };
  };
  async function signer() {
    const [key] = await database.signingKeys.list();
    const privateKey = await importJWK(key!.private_jwk as unknown as { kty: string }, 'EdDSA');
    const header = { alg: 'EdDSA', typ: 'at+jwt', kid: key!.id };
    return { header, sign: (payload: JWTPayload, over = {}) => jwt(payload, { ...header, ...over }, privateKey), key };
  }
  const jwt = (payload: JWTPayload, header: { alg: string }, key: Parameters<SignJWT['sign']>[0]) =>
    new SignJWT(payload).setProtectedHeader(header).sign(key);

  it('are refused when anything about them is not as issued', async () => {
    const { id } = await freshUser();
    const { sign, header, key } = await signer();
    expect(await codeOf(accounts.verifyAccessToken(await sign(claims(id))))).toBe('ok');

    const foreign = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
    const publicBytes = Buffer.from(key!.public_jwk.x!, 'base64url');
    const good = await sign(claims(id));
    const [head, , signature] = good.split('.');
    const other = Buffer.from(JSON.stringify({ ...claims(id), sub: newId('user') })).toString('base64url');
    const embedded = { ...header, jwk: await exportJWK(foreign.publicKey) };
    const forged: Record<string, string> = {
      'other key': await jwt(claims(id), header, foreign.privateKey),
      'other key, brought along': await jwt(claims(id), embedded, foreign.privateKey),
      'unknown key id': await sign(claims(id), { kid: 'other' }),
      'no key id': await sign(claims(id), { kid: undefined }),
      'HMAC with the public key': await jwt(claims(id), { ...header, alg: 'HS256' }, publicBytes),
      'no signature': new UnsecuredJWT(claims(id)).encode(),
      'signature removed': `${head}..`,
      'other payload': `${head}.${other}.${signature}`,
      'other issuer': await sign({ ...claims(id), iss: 'x' }),
      'other audience': await sign({ ...claims(id), aud: 'x' }),
      'other type': await sign(claims(id), { typ: 'JWT' }),
      'no expiry': await sign({ ...claims(id), exp: undefined } as unknown as JWTPayload),
      'unknown user': await sign(claims(newId('user'))),
      'no JWT': 'abc',
      'not even text': '\u0000.\u0000.\u0000',
      empty: '',
      long: `${good}${'a'.repeat(10_000)}`,
    };
    for (const [name, token] of Object.entries(forged))
      expect([name, await codeOf(accounts.verifyAccessToken(token))]).toEqual([name, 'unauthorized']);

    const expired = { ...claims(id), exp: Math.floor(Date.now() / 1_000) - 1 };
    expect(await codeOf(accounts.verifyAccessToken(await sign(expired)))).toBe('token_expired');
    const both = await jwt(expired, header, foreign.privateKey);
    expect(await codeOf(accounts.verifyAccessToken(both))).toBe('unauthorized');
  });

  it('expire, also from the cache', async () => {
    const brief = await start({ accessTokenTtlS: 1 });
    const user = await freshUser();
    const answer = await brief.login({ email: user.email, password: PASSWORD }, { address: freshAddress() });
    await expect
      .poll(() => codeOf(brief.verifyAccessToken(answer.access_token)), { timeout: 5_000 })
      .toBe('token_expired');
    expect(await codeOf(accounts.verifyAccessToken(answer.access_token))).toBe('token_expired');
  });

  it('are verified with keys that other processes add', async () => {
    const uri = store.uriOf('rotation');
    const own = await connectDatabase({ uri, log });
    onTestFinished(() => own.close());
    const before = await createAccounts({ database: own, redis, log, config });
    await before.ensureFirstUser({ email: 'a@example.org', password: PASSWORD });
    const login = (through: Accounts) =>
      through.login({ email: 'a@example.org', password: PASSWORD }, { address: freshAddress() });
    const old = await login(before);
    const { publicKey, privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
    const [public_jwk, private_jwk] = await Promise.all([exportJWK(publicKey), exportJWK(privateKey)]);
    await own.signingKeys.add({
      id: 'second',
      generation: 2,
      algorithm: 'EdDSA',
      public_jwk: public_jwk as Record<string, string>,
      private_jwk: private_jwk as Record<string, string>,
    });
    const after = await createAccounts({ database: own, redis, log, config });
    expect(await codeOf(after.verifyAccessToken(old.access_token))).toBe('ok');
    const renewed = await login(after);
    await expect
      .poll(() => codeOf(before.verifyAccessToken(renewed.access_token)), { timeout: 10_000, interval: 250 })
      .toBe('ok');
  });
});

describe('scopes', () => {
  it('follow the headers', async () => {
    const { user } = await loggedIn();
    const resolve = (scopeType?: string, workspaceId?: string) =>
      accounts.resolveScope({ user, scopeType, workspaceId });
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
