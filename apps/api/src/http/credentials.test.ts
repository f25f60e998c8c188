import { createHmac, createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url');
const decode = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString());

/** Changes parts of a valid token and signs it with `signer`. */
function forge(change: { header?: object; claims?: object }, signer: (input: string) => string): string {
  const [header, claims] = api.accessToken.split('.');
  const input = `${encode({ ...decode(header), ...change.header })}.${encode({ ...decode(claims), ...change.claims })}`;
  return `${input}.${signer(input)}`;
}

const signedBy = (key: KeyObject) => (input: string) => sign(null, Buffer.from(input), key).toString('base64url');
const otherKey = () => generateKeyPairSync('ed25519').privateKey;

async function ownKeys() {
  const [key] = await api.services.database.signingKeys.list();
  if (!key) throw new Error('no signing key');
  return { privateKey: createPrivateKey({ key: key.private_jwk, format: 'jwk' }), publicJwk: key.public_jwk };
}

async function answerTo(token: string) {
  return api.call('GET', '/me', { headers: { authorization: `Bearer ${token}` } });
}

test('accepts a token that was signed again unchanged, so that the forgeries below fail for their own reason', async () => {
  const { privateKey } = await ownKeys();
  expect((await answerTo(forge({}, signedBy(privateKey)))).status).toBe(200);
});

const past = Math.floor(Date.now() / 1_000) - 3_600;
const forgeries: Record<string, () => Promise<string>> = {
  'signed by another key': async () => forge({}, signedBy(otherKey())),
  'unsigned, algorithm none': async () => forge({ header: { alg: 'none' } }, () => ''),
  'algorithm none in capitals': async () => forge({ header: { alg: 'NONE' } }, () => ''),
  'HMAC with the public key as its secret': async () => {
    const { publicJwk } = await ownKeys();
    const secret = JSON.stringify(publicJwk);
    return forge({ header: { alg: 'HS256' } }, (input) =>
      createHmac('sha256', secret).update(input).digest('base64url'),
    );
  },
  'a key in the header': async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    return forge({ header: { jwk: publicKey.export({ format: 'jwk' }) } }, signedBy(privateKey));
  },
  'an unknown key id': async () => forge({ header: { kid: 'unknown' } }, signedBy((await ownKeys()).privateKey)),
  'no key id': async () => forge({ header: { kid: undefined } }, signedBy((await ownKeys()).privateKey)),
  'another issuer': async () => forge({ claims: { iss: 'someone' } }, signedBy((await ownKeys()).privateKey)),
  'another audience': async () => forge({ claims: { aud: 'someone' } }, signedBy((await ownKeys()).privateKey)),
  'another type': async () => forge({ header: { typ: 'JWT' } }, signedBy((await ownKeys()).privateKey)),
  'never expiring': async () => forge({ claims: { exp: undefined } }, signedBy((await ownKeys()).privateKey)),
  'an unknown user': async () => forge({ claims: { sub: 'usr_unknown' } }, signedBy((await ownKeys()).privateKey)),
  'claims changed under the old signature': async () => {
    const [header, claims, signature] = api.accessToken.split('.');
    return `${header}.${encode({ ...decode(claims), sub: 'usr_other' })}.${signature}`;
  },
  'the signature removed': async () => api.accessToken.split('.').slice(0, 2).join('.'),
  'not a token at all': async () => 'nonsense',
  'a refresh token': async () => {
    const answer = await api.call('POST', '/auth/login', { body: api.login });
    return answer.body.refresh_token;
  },
};

test.each(Object.keys(forgeries))('refused: %s', async (name) => {
  const answer = await answerTo(await (forgeries[name] as () => Promise<string>)());
  expect(answer.status).toBe(401);
  expect(answer.body.error).toMatchObject({ code: 'unauthorized', status: 401 });
  expect(answer.headers.get('www-authenticate')).toContain('Bearer');
  expect(JSON.stringify(answer.body)).not.toMatch(/stack|node_modules|jose|\.ts/);
});

test('an expired token has its own error', async () => {
  const token = forge({ claims: { iat: past - 900, exp: past } }, signedBy((await ownKeys()).privateKey));
  const answer = await answerTo(token);
  expect([answer.status, answer.body.error.code]).toEqual([401, 'token_expired']);
  expect(answer.headers.get('www-authenticate')).toContain('error="invalid_token"');
});

test.each<[string, Record<string, string | null>, string]>([
  ['no credential', { authorization: null }, 'unauthorized'],
  ['an empty header', { authorization: '' }, 'unauthorized'],
  ['another scheme', { authorization: 'Basic dXNlcjpwYXNz' }, 'unauthorized'],
  ['a scheme without a token', { authorization: 'Bearer' }, 'unauthorized'],
  ['an API key', { authorization: null, 'x-api-key': 'chk_abc' }, 'unauthorized'],
  ['an API key as the bearer', { authorization: 'Bearer chk_abc' }, 'unauthorized'],
  ['two credentials', { 'x-api-key': 'chk_abc' }, 'conflicting_credentials'],
])('refused: %s', async (_name, headers, code) => {
  const answer = await api.call('GET', '/me', { headers });
  expect([answer.status, answer.body.error.code]).toEqual([401, code]);
  expect(answer.headers.get('www-authenticate')).toContain('Bearer');
});

test('refuses two Authorization headers, of which Node exposes the first', async () => {
  const { port } = new URL(api.url);
  const credentials = ['authorization', `Bearer ${api.accessToken}`, 'Authorization', 'Bearer other'];
  const asked = httpRequest({
    port,
    path: '/api/v1/me',
    headers: [...credentials, 'x-scope-type', 'personal', 'host', 'test'],
  });
  asked.end();
  const [answer] = await once(asked, 'response');
  answer.resume();
  expect(answer.statusCode).toBe(401);
});

test('accepts the same API key in both headers, but not an access token', async () => {
  const body = { name: 'both' };
  const { secret } = (await api.call('POST', '/api-keys', { body })).body;
  const both = (token: string) => ({ headers: { authorization: `Bearer ${token}`, 'x-api-key': token } });
  expect((await api.call('GET', '/me', both(secret))).status).toBe(200);
  expect((await api.call('GET', '/me', both(api.accessToken))).body.error.code).toBe('unauthorized');
});

test('accepts the scheme in any case', async () => {
  const answer = await api.call('GET', '/me', { headers: { authorization: `bearer ${api.accessToken}` } });
  expect([answer.status, answer.body.email]).toEqual([200, api.login.email]);
});

test('login returns tokens and the user; a wrong password and an unknown user look the same', async () => {
  const good = await api.call('POST', '/auth/login', {
    body: api.login,
    headers: { authorization: null, 'x-scope-type': null },
  });
  expect(good.status).toBe(200);
  expect(good.body).toMatchObject({
    token_type: 'Bearer',
    expires_in: 900,
    refresh_token: expect.any(String),
    user: { object: 'user', email: api.login.email, operator: true },
  });
  expect(good.body.user).not.toHaveProperty('password_hash');
  expect((await answerTo(good.body.access_token)).status).toBe(200);

  const wrong = await api.call('POST', '/auth/login', { body: { ...api.login, password: 'wrong' } });
  const unknown = await api.call('POST', '/auth/login', { body: { email: 'nobody@example.com', password: 'wrong' } });
  for (const answer of [wrong, unknown]) {
    expect([answer.status, answer.body.error.code]).toEqual([401, 'invalid_credentials']);
  }
  expect(unknown.body.error.message).toBe(wrong.body.error.message);
});

test('a refresh token works once; a retry gets the same response', async () => {
  const { body: first } = await api.call('POST', '/auth/login', { body: api.login });
  const refresh = (token: string) => api.call('POST', '/auth/refresh', { body: { refresh_token: token } });
  const second = await refresh(first.refresh_token);
  expect(second.status).toBe(200);
  expect(second.body.refresh_token).not.toBe(first.refresh_token);
  expect((await refresh(first.refresh_token)).body).toEqual(second.body);
  expect((await refresh('nonsense')).status).toBe(401);
});
