import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type FakeOpenAI, startFakeOpenAI, startRedis, type TestRedis } from '@chorus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { calls } from '../test-providers.ts';

/** The program of a worker process: providers with shared gates, controlled by messages. */
const PROCESS = `
import { connectRedis } from '@chorus/events';
import { createLogger } from '@chorus/runtime/log';
import { createProviders, createSharedGates } from '@chorus/providers';
const { redisUrl, baseUrl, limit } = JSON.parse(process.argv[2]);
const log = createLogger({ name: 'test', level: 'silent' });
const connect = () => connectRedis({ url: redisUrl, cluster: false }, 'worker');
const subscriber = connect();
const gates = createSharedGates({ redis: connect(), subscriber, limits: { compatible: limit }, log });
const off = { apiKey: null, baseUrl: null };
const settings = new Proxy({}, { get: (_, name) => (name === 'compatible' ? { apiKey: null, baseUrl } : off) });
const providers = createProviders(settings, { log, gateOf: gates.gateOf });
await providers.ready();
await subscriber.ping();
process.on('message', async ({ id, model }) => {
  const call = { model: 'compatible/' + model, messages: [{ role: 'user', content: 'x' }], settings: {} };
  const options = { signal: new AbortController().signal, executionId: 'x', mayReset: true };
  let text = '';
  try {
    for await (const part of providers.streamChat(call, options)) if (part.type === 'text') text += part.text;
    process.send({ id, text });
  } catch (error) {
    process.send({ id, text, code: error.code });
  }
});
process.send('ready');
`;

interface Outcome {
  text: string;
  code?: string;
}

let folder: string;
let redis: TestRedis;
let fake: FakeOpenAI;
let one: WorkerProcess;
let other: WorkerProcess;

beforeAll(async () => {
  folder = mkdtempSync(join(fileURLToPath(new URL('..', import.meta.url)), '.process-'));
  writeFileSync(join(folder, 'process.mjs'), PROCESS);
  [redis, fake] = await Promise.all([startRedis(), startFakeOpenAI()]);
  [one, other] = await Promise.all([startProcess(2), startProcess(2)]);
});
afterAll(async () => {
  await Promise.all([one, other].map(({ kill }) => kill()));
  rmSync(folder, { recursive: true, force: true });
  await Promise.all([redis.stop(), fake.close()]);
});

interface WorkerProcess {
  ask(model: string): Promise<Outcome>;
  /** Crashes it. */
  kill(): Promise<void>;
}

async function startProcess(limit: number): Promise<WorkerProcess> {
  const argument = JSON.stringify({ redisUrl: redis.url, baseUrl: fake.url, limit });
  const child = fork(join(folder, 'process.mjs'), [argument]);
  await once(child, 'message');
  let last = 0;
  return {
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
    ask: (model: string) => {
      last += 1;
      const id = last;
      const { promise, resolve } = Promise.withResolvers<Outcome>();
      const listen = (message: Outcome & { id: number }) => {
        if (message.id !== id) return;
        child.off('message', listen);
        resolve(message);
      };
      child.on('message', listen);
      child.send({ id, model });
      return promise;
    },
  };
}

test('two processes share the state of a broken provider', async () => {
  await Promise.all(Array.from({ length: 8 }, (_, index) => one.ask(`cut-after-1@${index}`)));
  await expect.poll(async () => (await other.ask('words-1')).code).toBe('provider_unavailable');
  const before = calls(fake).length;
  expect(await other.ask('words-1')).toMatchObject({ code: 'provider_unavailable' });
  expect(calls(fake)).toHaveLength(before);
  // After a while, one call probes successfully, and then both processes call again.
  await expect.poll(() => other.ask('words-1'), { timeout: 15_000, interval: 100 }).toMatchObject({ text: 'w1' });
  await expect.poll(() => one.ask('words-1')).toMatchObject({ text: 'w1' });
});

test('two processes share a call limit, and a killed one frees its slots', async () => {
  const before = calls(fake).length;
  void one.ask('hang-after-1@a');
  void one.ask('hang-after-1@b');
  await expect.poll(() => calls(fake).length).toBe(before + 2);
  const waiting = other.ask('words-2');
  const waits = new Promise((resolve) => setTimeout(() => resolve('waits'), 300));
  expect(await Promise.race([waiting, waits])).toBe('waits');
  // It waits for a slot and sends nothing while the first process lives.
  expect(calls(fake)).toHaveLength(before + 2);
  await one.kill();
  expect(await waiting).toMatchObject({ text: 'w1 w2' });
});
