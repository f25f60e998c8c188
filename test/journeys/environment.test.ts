import { randomBytes, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, startFakeOpenAI } from '@chorus/testing';
import { expect, it, onTestFinished } from 'vitest';
import { start } from './npm-start.ts';

/** Secrets a shell may contain, and the processes that may receive them. */
const PLANTED: Record<string, string[]> = {
  OPENAI_API_KEY: ['api', 'worker-text', 'worker-media', 'worker-vision', 'worker-knowledge', 'worker-voice'],
  ANTHROPIC_API_KEY: ['worker-text', 'worker-vision'],
  GOOGLE_API_KEY: ['api', 'worker-text', 'worker-media', 'worker-vision', 'worker-knowledge', 'worker-voice'],
  MISTRAL_API_KEY: ['worker-text', 'worker-vision', 'worker-knowledge'],
  GROQ_API_KEY: ['api', 'worker-text', 'worker-vision', 'worker-knowledge', 'worker-voice'],
  COMPATIBLE_API_KEY: ['worker-text', 'worker-vision', 'worker-knowledge'],
  ELEVENLABS_API_KEY: ['api', 'worker-knowledge', 'worker-voice'],
  DEEPGRAM_API_KEY: ['api', 'worker-knowledge', 'worker-voice'],
  FAL_API_KEY: ['worker-media'],
  ADMIN_PASSWORD: ['api'],
  METRICS_TOKEN: ['api'],
  OPERATOR_WEBHOOK_SECRET: ['maintenance'],
  SECRET_KEY: [
    'api',
    'maintenance',
    'worker-text',
    'worker-media',
    'worker-vision',
    'worker-knowledge',
    'worker-voice',
  ],
  AWS_SECRET_ACCESS_KEY: [],
  NODE_AUTH_TOKEN: [],
  GITHUB_TOKEN: [],
  CHORUS_API_KEY: [],
};

function descendants(pid: number): number[] {
  try {
    const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    );
    return children.flatMap((child) => [child, ...descendants(child)]);
  } catch {
    return [];
  }
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return '';
  }
}

it('gives each process only its secrets, and none to child processes', {
  timeout: 300_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'chv-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const fake = await startFakeOpenAI();
  onTestFinished(() => fake.close());
  const login = { email: `${randomUUID()}@example.com`, password: randomUUID() };
  const planted = Object.fromEntries(Object.keys(PLANTED).map((name) => [name, `planted-${randomUUID()}`]));
  planted.ADMIN_PASSWORD = login.password;
  planted.OPERATOR_WEBHOOK_SECRET = `whsec_${randomBytes(32).toString('base64')}`;
  const providers = Object.keys(PLANTED).filter((name) => /^(?!CHORUS)\w+_API_KEY$/.test(name));
  const addresses = Object.fromEntries(providers.map((name) => [name.replace('API_KEY', 'BASE_URL'), fake.url]));
  const dataDir = join(folder, 'data');
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    ...addresses,
    ...planted,
    OPERATOR_WEBHOOK_URL: 'https://operators.example.org/hook',
    DATA_DIR: dataDir,
    PORT: String(await freePort()),
    ADMIN_EMAIL: login.email,
    WORKER_PROCESSES: 'separate',
  };
  for (const name of ['MONGODB_URI', 'REDIS_URL']) delete env[name];
  const platform = await start(env, dataDir, login);
  // Starts every kind of child process: for drawing, signing, parsing, and OCR.
  const { client } = platform;
  const picture = await client.post('/iris/generate', { prompt: 'a fox', model: 'embedded/canvas' });
  expect(picture.body.status).toBe('succeeded');
  await client.post('/console/knowledge', { content: 'A document about foxes.', title: 'Foxes' });
  await client.post('/iris/ocr', { asset_id: picture.body.output[0].asset_id });

  const started: { name: string; pid: number }[] = JSON.parse(
    readFileSync(join(dataDir, 'run', 'processes.json'), 'utf8'),
  );
  expect(started.map(({ name }) => name).sort()).toEqual(
    [
      'api',
      'guard',
      'maintenance',
      'redis',
      'store',
      ...['knowledge', 'media', 'text', 'vision', 'voice'].map((pool) => `worker-${pool}`),
    ].sort(),
  );
  let children = 0;
  for (const { name, pid } of started) {
    const known = Object.entries(planted).filter(([, secret]) => environmentOf(pid).includes(secret));
    const expected = Object.keys(PLANTED).filter((secret) => PLANTED[secret]?.includes(name));
    expect([name, known.map(([secret]) => secret).sort()]).toEqual([name, expected.sort()]);
    for (const child of descendants(pid)) {
      children += 1;
      // A new child has its parent's environment until it runs its program.
      const leaked = () =>
        Object.keys(planted).filter((secret) => environmentOf(child).includes(planted[secret] as string));
      await expect.poll(() => [name, leaked()]).toEqual([name, []]);
    }
  }
  expect(children).toBeGreaterThan(1);
  await platform.stop();
});
