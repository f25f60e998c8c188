import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectRedis } from '@chorus/events';
import { createLanes } from '@chorus/lanes';
import { createLogger } from '@chorus/runtime/log';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../api/src/test-api.ts';
import { commandLine } from '../test-command-line.ts';

const LANE = 'openai/gpt-5';

let api: TestApi;
let folder: string;
beforeAll(async () => {
  [api, folder] = await Promise.all([startTestApi(), mkdtemp(join(tmpdir(), 'chorus-lanes-'))]);
});
afterAll(async () => {
  await api?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Makes a call whose key is refused. */
async function stopLane(): Promise<void> {
  const connect = () => connectRedis(api.config.redis, 'worker');
  const [redis, subscriber] = [connect(), connect()];
  const log = createLogger({ name: 'test', level: 'silent' });
  const lanes = createLanes({ redis, subscriber, limits: () => 7, log });
  onTestFinished(() => {
    lanes.close();
    redis.disconnect();
    subscriber.disconnect();
  });
  const pass = await lanes.enter(LANE, { signal: new AbortController().signal, maxWaitMs: 5_000, user: 'one' });
  pass.stopped('key');
  pass.leave();
  await expect.poll(async () => (await lanes.read([LANE]))[0]?.reason).toBe('key');
}

test('lists lanes, and resumes one or all of a provider', async () => {
  await stopLane();
  const { run: chorus } = commandLine(folder, { CHORUS_URL: api.url, XDG_CONFIG_HOME: folder });
  const { email, password } = api.login;
  await chorus(['login'], { input: `${email}\n${password}\n` });
  const listed = await chorus(['lanes', 'list']);
  expect(listed.out).toMatch(/^LANE +CALLS +LIMIT +WAITING/);
  expect(listed.out).toMatch(/openai\/gpt-5 +0 +7 \(set: 7\) +0 +0 +key/);
  const resumed = await chorus(['lanes', 'resume', LANE, '--json']);
  expect(JSON.parse(resumed.out)).toMatchObject({ lane: LANE, half_open: true });
  expect(await chorus(['lanes', 'resume', 'openai'])).toMatchObject({ code: 0 });
  expect(await chorus(['lanes', 'resume', 'openai/unknown'])).toMatchObject({ code: 5 });
  expect(await chorus(['lanes', 'resume', 'nobody'])).toMatchObject({ code: 5 });
});
