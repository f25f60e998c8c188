import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateSync } from 'otplib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../api/src/test-api.ts';
import { boundKey, freshPerson, freshWorkspace, PASSWORD } from '../../../api/src/test-people.ts';
import { type CommandLine, commandLine } from '../test-command-line.ts';

let api: TestApi;
let folder: string;
let chorus: CommandLine['run'];
let start: CommandLine['start'];
beforeAll(async () => {
  [api, folder] = await Promise.all([startTestApi(), mkdtemp(join(tmpdir(), 'chorus-account-'))]);
  ({ run: chorus, start } = commandLine(folder, { CHORUS_URL: api.url, XDG_CONFIG_HOME: folder }));
});
afterAll(async () => {
  await api?.stop();
  await rm(folder, { recursive: true, force: true });
});

const at = (name: string) => ({ XDG_CONFIG_HOME: join(folder, name) });
const recordsOf = (out: string) =>
  out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

test('lists and ends logins, and changes the password', async () => {
  const { email } = await freshPerson(api);
  for (const env of [at('one'), at('two')])
    expect((await chorus(['login'], { input: `${email}\n${PASSWORD}\n`, env })).code).toBe(0);
  const listed = recordsOf((await chorus(['account', 'logins', '--json'], { env: at('one') })).out);
  expect(listed).toHaveLength(3); // freshPerson logs in too
  expect(listed.filter(({ current }) => current)).toMatchObject([
    { user_agent: expect.stringMatching(/^chorus-cli \(/) },
  ]);
  const [other] = listed.filter(({ current, user_agent }) => !current && user_agent?.startsWith('chorus-cli'));
  expect((await chorus(['account', 'end', other.id], { env: at('one') })).out).toBe(`Logged out: ${other.id}.\n`);
  expect((await chorus(['account', 'logins'], { env: at('two') })).code).toBe(3);
  expect((await chorus(['account', 'end', '--others'], { env: at('one') })).out).toBe('Logged out: 1.\n');

  const change = (next: string) => chorus(['account', 'password'], { input: `${PASSWORD}\n${next}\n`, env: at('one') });
  expect(await change('password123')).toMatchObject({ code: 5, errors: expect.stringContaining('most common') });
  expect(await change('another password')).toMatchObject({ code: 0 });
  expect((await chorus(['login'], { input: `${email}\n${PASSWORD}\n`, env: at('two') })).code).toBe(3);
  for (const args of [
    ['account'],
    ['account', 'end'],
    ['account', 'end', 'x', '--others'],
    ['account', 'totp', 'maybe'],
  ])
    expect([args, (await chorus(args, { env: at('one') })).code]).toEqual([args, 2]);
});

test('exports everything, and deletes the account', async () => {
  const { email, id } = await freshPerson(api);
  const env = at('leaving');
  await chorus(['login'], { input: `${email}\n${PASSWORD}\n`, env });
  expect((await chorus(['account', 'export', 'mine.zip', '--no-files'], { env })).out).toBe('mine.zip\n');
  expect((await readFile(join(folder, 'mine.zip'))).subarray(0, 2).toString()).toBe('PK');
  expect((await chorus(['account', 'export', 'mine.zip'], { env })).code).toBe(2);
  expect((await chorus(['account', 'delete'], { env })).code).toBe(2);
  const left = await chorus(['account', 'delete', '--yes'], { input: `${PASSWORD}\n`, env });
  expect(left).toMatchObject({ code: 0, out: expect.stringContaining('deleted') });
  expect(await api.services.database.users.findById(id)).toMatchObject({ leaving_at: expect.any(Date) });
}, 20_000);

test('turns two-factor authentication on, requires it at login, and turns it off', async () => {
  const { email } = await freshPerson(api);
  const env = at('totp');
  await chorus(['login'], { input: `${email}\n${PASSWORD}\n`, env });
  expect((await chorus(['account', 'totp'], { env })).out).toBe('Two-factor authentication is off.\n');

  // The code depends on the output, so this needs an interactive process.
  const { child, ended } = start(['account', 'totp', 'on'], { env, interactive: true });
  child.stdin.write(`${PASSWORD}\n`);
  const secret = await new Promise<string>((resolve) => {
    let text = '';
    child.stderr.on('data', (chunk) => {
      text += chunk;
      const [, key] = /authenticator app: ([A-Z2-7]{32})/.exec(text) ?? [];
      if (key !== undefined) resolve(key);
    });
  });
  child.stdin.end(`${generateSync({ secret })}\n`);
  const on = await ended;
  const codes = on.out.trim().split('\n');
  expect([on.code, codes.length]).toEqual([0, 10]);

  await chorus(['logout'], { env });
  const login = (code: string) => chorus(['login'], { input: `${email}\n${PASSWORD}\n${code}`, env });
  expect(await login('')).toMatchObject({
    code: 2,
    errors: expect.stringContaining('Code from your authenticator app'),
  });
  expect(await login('000000\n')).toMatchObject({ code: 3, errors: expect.stringContaining('This code is wrong') });
  expect(await login(`${codes[0]}\n`)).toMatchObject({ code: 0, out: expect.stringContaining(email) });
  const renewed = await chorus(['account', 'totp', 'codes'], { input: `${PASSWORD}\n${codes[1]}\n`, env });
  const [fresh] = renewed.out.split('\n');
  expect((await chorus(['account', 'totp'], { env })).out).toContain('is on, 10 recovery codes left');
  const off = await chorus(['account', 'totp', 'off'], { input: `${PASSWORD}\n${fresh}\n`, env });
  expect(off).toMatchObject({ code: 0, out: 'Two-factor authentication is off.\n' });
});

test('stores a workspace key with its workspace', async () => {
  const person = await freshPerson(api);
  const workspace = await freshWorkspace(api, person, []);
  const key = await boundKey(api, person, workspace);
  const env = at('key');
  expect((await chorus(['login', '--key'], { input: `${key}\n`, env })).code).toBe(3);
  expect((await chorus(['login', '--key', '--workspace', workspace], { input: `${key}\n`, env })).code).toBe(0);
  expect((await chorus(['jobs', 'list'], { env })).code).toBe(0);
  expect((await chorus(['account', 'logins'], { env })).code).toBe(3);
  expect(JSON.parse(await readFile(join(folder, 'key', 'chorus', 'account.json'), 'utf8'))).toMatchObject({
    workspace,
  });
});
