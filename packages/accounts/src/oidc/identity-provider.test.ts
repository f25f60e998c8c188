import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLogger } from '@chorus/runtime/log';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createIdentityProvider } from './identity-provider.ts';

const log = createLogger({ name: 'test', level: 'silent' });
const pairOf = () => generateKeyPairSync('rsa', { modulusLength: 2048 });
const [own, other] = [pairOf(), pairOf()];

/** The provider's statements about the person, and its way of signing. */
const usual = {
  key: own.privateKey as KeyObject,
  header: { alg: 'RS256', kid: 'one' } as Record<string, string>,
  token: {} as Record<string, unknown>,
  userinfo: {} as Record<string, unknown>,
  padding: 0,
};
let says = usual;
let keysRead = 0;
let issuer = '';
let nonce = '';

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

function idToken(): string {
  const now = Math.floor(Date.now() / 1_000);
  const claims = { iss: issuer, sub: 'ada', aud: 'chorus', iat: now, exp: now + 300, nonce, ...says.token };
  const signed = `${part(says.header)}.${part(claims)}`;
  if (says.header.alg === 'none') return `${signed}.`;
  return `${signed}.${sign('sha256', Buffer.from(signed), says.key).toString('base64url')}`;
}

const server = createServer((request, response) => {
  const json = (body: unknown) => response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  switch (new URL(request.url ?? '', issuer).pathname) {
    case '/.well-known/openid-configuration':
      return json({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        userinfo_endpoint: `${issuer}/userinfo`,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
      });
    case '/jwks':
      keysRead += 1;
      return json({ keys: [{ ...own.publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' }] });
    case '/token':
      return json({ access_token: 'secret', token_type: 'Bearer', id_token: idToken() });
    case '/userinfo':
      return json({ sub: 'ada', ...says.userinfo, padding: 'x'.repeat(says.padding) });
    default:
      return response.writeHead(404).end();
  }
});

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  says = { ...usual };
  keysRead = 0;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function logIn() {
  const settings = { issuer, clientId: 'chorus', clientSecret: null, scopes: 'openid', groupsClaim: 'groups' };
  const provider = createIdentityProvider(settings, log);
  const { url: _, ...state } = await provider.start('http://127.0.0.1/callback', false);
  nonce = state.nonce;
  return provider.finish(new URL(`http://127.0.0.1/callback?code=x&state=${state.state}&iss=${issuer}`), state);
}

test('checks the signature of the ID token with the keys of the provider', async () => {
  expect(await logIn()).toMatchObject({ issuer, subject: 'ada' });
  expect(keysRead).toBe(1);
});

test.each<[string, () => Partial<typeof says>]>([
  ['signed with another key', () => ({ key: other.privateKey })],
  ['of an unknown key', () => ({ key: other.privateKey, header: { alg: 'RS256', kid: 'two' } })],
  ['without a signature', () => ({ header: { alg: 'none' } })],
  ['signed with the public key as a secret', () => ({ header: { alg: 'HS256', kid: 'one' } })],
])('refuses an ID token %s', async (_what, change) => {
  says = { ...usual, ...change() };
  await expect(logIn()).rejects.toMatchObject({ code: 'sso_failed' });
});

const kevin = 'kevin@example.org';
test.each<[string, Record<string, unknown>, Record<string, unknown>, string | null, boolean | null]>([
  ['one address, verified', { email: kevin, email_verified: true }, {}, kevin, true],
  ['the address of the user', {}, { email: kevin, email_verified: true }, kevin, true],
  [
    'the word of the user for the same address',
    { email: kevin },
    { email: 'Kevin@example.org', email_verified: true },
    kevin,
    true,
  ],
  ['the word for another address', { email: kevin }, { email: 'eve@example.org', email_verified: true }, kevin, null],
  ['the word without an address', { email: kevin }, { email_verified: true }, kevin, null],
  ['a contradiction', { email: kevin, email_verified: true }, { email: kevin, email_verified: false }, kevin, false],
  ['text: true', { email: kevin, email_verified: 'true' }, {}, kevin, true],
  ['text: false', { email: kevin, email_verified: 'false' }, {}, kevin, false],
  ['other text', { email: kevin, email_verified: 'yes' }, {}, kevin, null],
  ['a number', { email: kevin, email_verified: 1 }, {}, kevin, null],
  ['nothing', { email: kevin }, {}, kevin, null],
  ['no address', {}, { email_verified: true }, null, null],
  ['letters that only look like others', { email: '\u212Aevin@example.org' }, {}, '\u212Aevin@example.org', null],
])('reads the email address: %s', async (_what, token, userinfo, email, emailVerified) => {
  says = { ...usual, token, userinfo };
  expect(await logIn()).toMatchObject({ email, emailVerified });
});

test('refuses answers that are too large', async () => {
  says = { ...usual, padding: 1_000_000 };
  await expect(logIn()).rejects.toMatchObject({ code: 'sso_failed' });
});
