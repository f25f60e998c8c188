import { randomBytes } from 'node:crypto';
import { NO_ACTOR, newId } from '@chorus/contract';
import type { Database } from '@chorus/database';
import { exportJWK, generateKeyPair, importJWK, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Accounts, AccountsConfig } from './accounts-port.ts';
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

describe('refresh', () => {
  it('issues new tokens, and repeats the same answer to a retry in any process', async () => {
    const first = await test.loggedIn();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => (n % 2 === 0 ? accounts : elsewhere).refresh(first.refresh_token)),
    );
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(answers[0]?.refresh_token).not.toBe(first.refresh_token);
    expect(await elsewhere.verify(answers[0]!.access_token)).toMatchObject({ user: first.user });
    const next = await elsewhere.refresh(answers[0]!.refresh_token);
    // The first answer was lost: still within 10 s.
    expect(await accounts.refresh(first.refresh_token)).toEqual(answers[0]);
    expect(next.refresh_token).not.toBe(answers[0]?.refresh_token);
    expect(await codeOf(accounts.refresh(next.refresh_token))).toBe('ok');
  });

  it('ends the family when an old token is reused', async () => {
    const first = await test.loggedIn();
    const second = await accounts.refresh(first.refresh_token);
    await ageRotations(first.refresh_token);
    expect(await codeOf(elsewhere.refresh(first.refresh_token))).toBe('refresh_token_reused');
    expect(await codeOf(accounts.refresh(second.refresh_token))).toBe('refresh_token_reused');
    expect(await codeOf(accounts.refresh((await test.loggedIn()).refresh_token))).toBe('ok');
  });

  it('refuses malformed and expired tokens', async () => {
    const { refresh_token } = await test.loggedIn();
    const other = await test.loggedIn();
    const strangers = ['', 'x', 'chr_', `chr_${randomBytes(48).toString('base64url')}`, refresh_token.slice(0, -4)];
    for (const token of [...strangers, ` ${refresh_token}`, `${refresh_token}=`, other.access_token])
      expect(await codeOf(accounts.refresh(token))).toBe('unauthorized');
    expect(await codeOf(accounts.refresh(refresh_token))).toBe('ok');

    const brief = await test.start({ refreshTokenTtlS: 0 });
    const user = await test.freshUser();
    const expired = await brief.login({ email: user.email, password: PASSWORD }, { address: freshAddress() });
    expect(await codeOf(accounts.refresh(expired.refresh_token))).toBe('unauthorized');
  });

  it('stores no token in the database', async () => {
    const first = await test.loggedIn();
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

/** Backdates the last use beyond the grace period. */
async function ageRotations(token: string) {
  const family = (await database.refreshTokens.find(familyOf(token)))!;
  for (let n = 0; n < 32; n++)
    await database.refreshTokens.rotate(family.id, {
      from_hash: family.current_hash,
      to_hash: family.current_hash,
      at: new Date(Date.now() - 60_000),
      expires_at: family.expires_at,
      address: null,
      user_agent: null,
    });
}

describe('access tokens', () => {
  const HOUR = 3_600;
  const claims = (sub: string, sid: string): JWTPayload => {
    const iat = Math.floor(Date.now() / 1_000);
    return { iss: 'chorus', aud: 'chorus', sub, sid, iat, exp: iat + HOUR, jti: 'x' };
  };
  async function signer() {
    const [key] = await database.signingKeys.list();
    const privateKey = await importJWK(key!.private_jwk as unknown as { kty: string }, 'EdDSA');
    const header = { alg: 'EdDSA', typ: 'at+jwt', kid: key!.id };
    return { header, sign: (payload: JWTPayload, over = {}) => jwt(payload, { ...header, ...over }, privateKey), key };
  }
  const jwt = (payload: JWTPayload, header: { alg: string }, key: Parameters<SignJWT['sign']>[0]) =>
    new SignJWT(payload).setProtectedHeader(header).sign(key);

  it('are refused when anything about them was altered', async () => {
    const { user, refresh_token } = await test.loggedIn();
    const { id } = user;
    const login = familyOf(refresh_token);
    const { sign, header, key } = await signer();
    expect(await codeOf(accounts.verify(await sign(claims(id, login))))).toBe('ok');

    const foreign = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
    const publicBytes = Buffer.from(key!.public_jwk.x!, 'base64url');
    const good = await sign(claims(id, login));
    const [head, , signature] = good.split('.');
    const other = Buffer.from(JSON.stringify({ ...claims(id, login), sub: newId('user') })).toString('base64url');
    const embedded = { ...header, jwk: await exportJWK(foreign.publicKey) };
    const forged: Record<string, string> = {
      'other key': await jwt(claims(id, login), header, foreign.privateKey),
      'other key, brought along': await jwt(claims(id, login), embedded, foreign.privateKey),
      'unknown key id': await sign(claims(id, login), { kid: 'other' }),
      'no key id': await sign(claims(id, login), { kid: undefined }),
      'HMAC with the public key': await jwt(claims(id, login), { ...header, alg: 'HS256' }, publicBytes),
      'no signature': new UnsecuredJWT(claims(id, login)).encode(),
      'signature removed': `${head}..`,
      'other payload': `${head}.${other}.${signature}`,
      'other issuer': await sign({ ...claims(id, login), iss: 'x' }),
      'other audience': await sign({ ...claims(id, login), aud: 'x' }),
      'other type': await sign(claims(id, login), { typ: 'JWT' }),
      'no expiry': await sign({ ...claims(id, login), exp: undefined } as unknown as JWTPayload),
      'unknown user': await sign(claims(newId('user'), login)),
      "another user's login": await sign(claims(id, familyOf((await test.loggedIn()).refresh_token))),
      'no login': await sign({ ...claims(id, login), sid: undefined }),
      'no JWT': 'abc',
      'not even text': '\u0000.\u0000.\u0000',
      empty: '',
      long: `${good}${'a'.repeat(10_000)}`,
    };
    for (const [name, token] of Object.entries(forged))
      expect([name, await codeOf(accounts.verify(token))]).toEqual([name, 'unauthorized']);

    const expired = { ...claims(id, login), exp: Math.floor(Date.now() / 1_000) - 1 };
    expect(await codeOf(accounts.verify(await sign(expired)))).toBe('token_expired');
    const both = await jwt(expired, header, foreign.privateKey);
    expect(await codeOf(accounts.verify(both))).toBe('unauthorized');
  });

  it('expire, including cached ones', async () => {
    const brief = await test.start({ accessTokenTtlS: 1 });
    const user = await test.freshUser();
    const answer = await brief.login({ email: user.email, password: PASSWORD }, { address: freshAddress() });
    await expect.poll(() => codeOf(brief.verify(answer.access_token))).toBe('token_expired');
    expect(await codeOf(accounts.verify(answer.access_token))).toBe('token_expired');
  });

  it('are refused beyond their maximum age whatever their expiry says', async () => {
    const { user, refresh_token } = await test.loggedIn();
    const { sign } = await signer();
    const good = claims(user.id, familyOf(refresh_token));
    const now = Math.floor(Date.now() / 1_000);
    const aged = (iat: number) => sign({ ...good, iat, exp: now + 1_000 * HOUR });
    expect(await codeOf(accounts.verify(await aged(now - 800)))).toBe('ok');
    expect(await codeOf(accounts.verify(await aged(now - 901)))).toBe('token_expired');
    expect(await codeOf(accounts.verify(await aged(now + HOUR)))).toBe('unauthorized');
  });

  it('are refused everywhere within a second when signing keys are revoked, while logins survive', async () => {
    const own = await test.openDatabase('revocation');
    const [here, there] = await Promise.all([test.start({}, { database: own }), test.start({}, { database: own })]);
    await here.ensureFirstUser({ email: 'a@example.org', password: PASSWORD });
    const login = await here.login({ email: 'a@example.org', password: PASSWORD }, { address: freshAddress() });
    for (const process of [here, there]) expect(await codeOf(process.verify(login.access_token))).toBe('ok');
    const id = await here.revokeSigningKeys(NO_ACTOR);
    expect(await codeOf(here.verify(login.access_token))).toBe('unauthorized');
    await expect.poll(() => codeOf(there.verify(login.access_token)), { timeout: 10_000 }).toBe('unauthorized');
    expect((await own.signingKeys.list()).map((key) => key.id)).toEqual([id]);
    const renewed = await there.refresh(login.refresh_token);
    for (const process of [here, there]) expect(await codeOf(process.verify(renewed.access_token))).toBe('ok');
    const { data } = await here.audit.list(`personal:${login.user.id}`, { limit: 10, action: 'signing_key.revoked' });
    expect(data).toMatchObject([{ target: { type: 'signing_key', id } }]);
  });

  it('are signed by keys that rotate by age or by command without ending logins', async () => {
    const own = await test.openDatabase('rotation');
    const options = (signingKeys: AccountsConfig['signingKeys']) => test.start({ signingKeys }, { database: own });
    const before = await options({});
    await before.ensureFirstUser({ email: 'a@example.org', password: PASSWORD });
    const login = async (through: Accounts) => {
      const credentials = { email: 'a@example.org', password: PASSWORD };
      return (await through.login(credentials, { address: freshAddress() })).access_token;
    };
    const signerOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid;
    const [first] = await own.signingKeys.list();
    const old = await login(before);
    expect(signerOf(old)).toBe(first?.id);

    // By command: every process learns of the new key before it signs.
    const second = await before.rotateSigningKey(NO_ACTOR);
    expect(signerOf(await login(before))).toBe(first?.id);
    const after = await options({ signsAfterMs: 0 });
    const renewed = await login(after);
    expect(signerOf(renewed)).toBe(second);
    for (const process of [before, after])
      for (const token of [old, renewed]) expect(await codeOf(process.verify(token))).toBe('ok');

    // By age: two processes create only one.
    await Promise.all([options({ rotateAfterMs: -1 }), options({ rotateAfterMs: -1 })]);
    const generations = (await own.signingKeys.list()).map(({ generation }) => generation);
    expect(generations.length).toBeGreaterThan(2);
    expect(new Set(generations).size).toBe(generations.length);
    // A process that has not seen it yet reloads.
    const late = await options({ signsAfterMs: 0 });
    const latest = await login(late);
    await expect.poll(() => codeOf(before.verify(latest)), { timeout: 10_000, interval: 250 }).toBe('ok');

    const day = -24 * HOUR * 1_000;
    await test.start({ accessTokenTtlS: -HOUR, signingKeys: { signsAfterMs: day } }, { database: own });
    expect(await own.signingKeys.list()).toHaveLength(1);
    expect(await codeOf(late.verify(latest))).toBe('ok');
  });
});
