import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { connectDatabase } from '@chorus/database';
import { createLogger } from '@chorus/runtime/log';
import { getSecret } from '@chorus/webhooks';
import { generateSync } from 'otplib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Platform, startPlatform } from './platform.ts';
import { poll } from './poll.ts';
import { dumpRedis, dumpStore } from './stored-text.ts';

const planted = () => `planted-${randomBytes(12).toString('hex')}`;
/** Secrets by name; no store may keep one in plain text. Tokens and keys are added when created. */
const secrets: Record<string, string> = {
  'the key of a provider': planted(),
  'the key of another provider': planted(),
  'a wrong password': planted(),
  'a new password': planted(),
  "the invited's password": planted(),
};
/** User text: stores and the queue may contain it, but no log, metric, or error. */
const said = planted();

let platform: Platform;
beforeAll(async () => {
  platform = await startPlatform({
    maintenance: 1,
    env: {
      LOG_LEVEL: 'trace',
      OPENAI_API_KEY: secrets['the key of a provider'] ?? '',
      COMPATIBLE_API_KEY: secrets['the key of another provider'] ?? '',
    },
  });
});
afterAll(() => platform?.stop());

/** Returns the secret part of a token; login names and key prefixes may be logged. */
const secretPart = (token: string) => token.slice(-20);

test('leaks no secret in logs, errors, metrics, or jobs, and stores none in plain text', async () => {
  const { client, login } = platform;
  secrets['the first password'] = login.password;
  const errors: unknown[] = [];
  const nobody = { authorization: null, 'x-scope-type': null };
  const refused = async (method: string, path: string, options: Parameters<typeof client.call>[2]) => {
    const { status, headers, body } = await client.call(method, path, options);
    expect([path, status >= 400]).toEqual([path, true]);
    errors.push(body, [...headers]);
  };
  const plant = (name: string, token: string) => {
    secrets[name] = secretPart(token);
    return token;
  };

  const tokens = (await client.post('/auth/login', login, { headers: nobody })).body;
  plant('an access token', tokens.access_token);
  plant('a refresh token', tokens.refresh_token);
  const next = (await client.post('/auth/refresh', { refresh_token: tokens.refresh_token }, { headers: nobody })).body;
  plant('the next refresh token', next.refresh_token);
  plant('the next access token', next.access_token);
  const wrong = secrets['a wrong password'];
  for (const body of [
    { email: login.email, password: wrong },
    { email: 'nobody@example.com', password: wrong },
    { email: login.email, password: { text: wrong } },
    { email: login.email, password: wrong, pass: wrong },
    `{"email":"${login.email}","password":"${wrong}`,
  ])
    await refused('POST', '/auth/login', { body, headers: nobody });
  await refused('POST', '/auth/refresh', { body: { refresh_token: `${next.refresh_token}x` }, headers: nobody });

  const created = (await client.post('/api-keys', { name: 'CI', permissions: ['read'] })).body;
  const key = plant('an API key', created.secret);
  expect((await client.get('/me', { headers: { authorization: null, 'x-api-key': key } })).status).toBe(200);
  await refused('POST', '/sessions', { body: {}, headers: { authorization: `Bearer ${key}` } });
  await refused('GET', '/me', { headers: { 'x-api-key': key } });
  await refused('GET', '/me', { headers: { authorization: `Basic ${key}` } });
  await refused('GET', '/me', { headers: { authorization: null, 'x-api-key': `${key}0` } });
  await refused('GET', '/me', { headers: { authorization: `Bearer ${tokens.access_token}x` } });
  await refused('GET', '/me', { headers: { 'x-scope-type': 'team' } });

  const change = { current_password: login.password, new_password: secrets['a new password'] };
  expect((await client.post('/me/password', change)).status).toBe(200);
  await refused('POST', '/me/password', { body: { ...change, current_password: wrong } });
  const { body: enrolment } = await client.post('/me/totp', { current_password: change.new_password });
  secrets['a TOTP secret'] = enrolment.secret;
  const enabled = await client.post('/me/totp/confirm', { code: generateSync({ secret: enrolment.secret }) });
  for (const code of enabled.body.recovery_codes) plant(`the recovery code ${code}`, code);
  const halfway = { email: login.email, password: change.new_password };
  const { error } = (await client.post('/auth/login', halfway, { headers: nobody })).body;
  const { challenge } = error;
  plant('a challenge', challenge);
  await refused('POST', '/auth/totp', { body: { challenge, code: '000000' }, headers: nobody });
  const workspace = (await client.post('/workspaces', { name: 'Team' })).body;
  const invitation = { email: `${randomUUID()}@example.com` };
  const invited = (await client.post(`/workspaces/${workspace.id}/invitations`, invitation)).body;
  const accepted = { token: plant('an invitation', invited.token), password: secrets["the invited's password"] };
  expect((await client.post('/invitations/accept', accepted, { headers: nobody })).status).toBe(200);
  await refused('POST', '/invitations/accept', { body: accepted, headers: nobody });

  // A chat that succeeds, and some whose provider refuses the key or fails.
  const chat = (model: string) => client.chat({ message: `${said} Go.`, model, metadata: {} });
  expect((await chat('compatible/words-5@secrets')).status).toBe(200);
  for (const model of [
    'openai/fail-401@secrets',
    'compatible/fail-500@secrets',
    'compatible/words-5-cut-after-2@secrets',
  ]) {
    const { status, body } = await chat(model);
    expect([model, status, body.status]).toEqual([model, 200, 'failed']);
    errors.push(body.error);
  }
  await refused('POST', '/chat/completions', { body: { message: 5, [said]: said, model: `${said}/x` } });

  const secretKey = { keys: null, file: join(platform.dataDir, 'secret-key') };
  const log = createLogger({ name: 'test', level: 'silent' });
  const database = await connectDatabase({ uri: platform.store.uri, secretKey, log });
  for (const one of await database.signingKeys.list()) secrets['a signing key'] = one.private_jwk.d ?? '';
  const owner = { scope: 'personal', user_id: tokens.user.id, workspace_id: null } as const;
  secrets['a webhook secret'] = (await getSecret(database, owner)).secret;
  secrets["the server's secret"] = await database.secrets.getOrCreate('refresh_tokens', 'x');
  await database.close();

  const last = randomUUID();
  await client.get('/me', { headers: { 'x-request-id': last } });
  const processes = [...platform.apis, ...platform.textWorkers, ...platform.maintenance];
  const logs = () => processes.flatMap((one) => one.log).join('\n');
  await poll('the last request is in the log', () => logs().includes(last));
  const metrics = (await client.get('/metrics')).body;
  // Failed logins are answered before they are audited.
  const audit = await poll('the failed logins are in the audit log', async () => {
    const { body } = await client.get('/audit?limit=100');
    return body.data.some(({ action }: { action: string }) => action === 'login.failed') && body;
  });

  const places: Record<string, string> = {
    logs: logs(),
    metrics,
    errors: JSON.stringify(errors),
    'the audit log': JSON.stringify(audit),
  };
  const kept = {
    Redis: await dumpRedis(platform.redis),
    'the store': await dumpStore(platform.store),
  };
  // Checks that the search works.
  expect(places.logs).toContain('login failed');
  expect(kept['the store']).toContain(said);
  const found = Object.entries({ ...places, ...kept }).flatMap(([place, text]) =>
    Object.entries(secrets)
      .filter(([, secret]) => secret.length < 8 || text.includes(secret))
      .map(([name]) => `${name} in ${place}`),
  );
  found.push(...Object.keys(places).filter((place) => places[place]?.includes(said)));
  expect(found).toEqual([]);
});
