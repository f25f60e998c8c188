import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, createLogin } from '@chorus/client';
import { freePort, startFakeOpenAI } from '@chorus/testing';
import { expect, it, onTestFinished } from 'vitest';
import { ROOT, run, type StartedPlatform, start } from './npm-start.ts';
import { poll } from './poll.ts';

const login = { email: `${randomUUID()}@example.com`, password: randomUUID() };

/** Returns the guide's commands in a code block, with another backup folder. */
function guideOf(block: 'backup' | 'restore', backups: string): string[] {
  const guide = readFileSync(join(ROOT, 'docs/backup-and-upgrade.md'), 'utf8');
  const [, commands = ''] = new RegExp(`\`\`\`sh ${block}\\n([\\s\\S]*?)\n\`\`\``).exec(guide) ?? [];
  return commands.replaceAll('/backups', backups).split('\n');
}

async function upload({ url }: StartedPlatform, text: string): Promise<string> {
  const auth = createLogin({ baseUrl: url });
  await auth.login(login.email, login.password);
  return (await createClient({ baseUrl: url, auth }).assets.upload(new File([text], 'kept.txt'))).id;
}

it('restores everything answered before a backup of the running platform', {
  timeout: 300_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'chb-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const fake = await startFakeOpenAI();
  onTestFinished(() => fake.close());
  const dataDir = join(folder, 'data');
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    DATA_DIR: dataDir,
    PORT: String(await freePort()),
    COMPATIBLE_BASE_URL: fake.url,
    ADMIN_EMAIL: login.email,
    ADMIN_PASSWORD: login.password,
    LOG_LEVEL: 'error',
  };
  delete env.MONGODB_URI;
  delete env.REDIS_URL;
  const type = (...commands: string[]) => run(env, 'bash', '-c', ['set -eu', ...commands].join('\n'));
  const toBackUp = guideOf('backup', folder);
  const toRestore = guideOf('restore', folder);
  expect([toBackUp[1], toRestore.pop()]).toEqual([`npm run admin -- backup ${folder}/monday`, 'npm start']);

  const first = await start(env, dataDir, login);
  const file = await upload(first, 'To be kept.');
  const answered: { id: string; session: string }[] = [];
  let writing = true;
  const writer = (async () => {
    while (writing) {
      const { status, body } = await first.client.chat({
        message: `turn ${answered.length}`,
        model: 'compatible/words-5',
      });
      expect(status, JSON.stringify(body)).toBe(200);
      answered.push({ id: body.id, session: body.session_id });
    }
  })();
  const until = (count: number) => poll(`${count} turns`, () => answered.length >= count, 60_000);
  await until(5);
  const before = answered.length;
  expect(await type(...toBackUp)).toMatchObject({ code: 0, output: expect.stringMatching(/all verified.*\n.*Redis/) });
  const after = answered.length;
  await until(after + 5);
  writing = false;
  await writer;
  expect(await type(...toRestore)).toMatchObject({ code: 1, output: expect.stringContaining('is in use') });
  await first.stop();

  await rm(join(dataDir, 'blobs'), { recursive: true });
  expect(await type(...toRestore)).toMatchObject({ code: 0, output: expect.stringContaining('before-restore-') });
  const second = await start(env, dataDir, login);
  expect(await (await fetch(new URL((await second.client.get(`/assets/${file}`)).body.url, second.url))).text()).toBe(
    'To be kept.',
  );
  for (const { id, session } of answered.slice(0, before)) {
    expect(await second.client.job(id)).toMatchObject({ status: 'succeeded' });
    expect(await second.client.messages(session)).toHaveLength(2);
  }
  // The turn that was running when the backup ended may or may not be in it.
  for (const { id } of answered.slice(after + 1)) expect((await second.client.get(`/jobs/${id}`)).status).toBe(404);
  expect((await second.client.chat({ message: 'and on', model: 'compatible/words-5' })).status).toBe(200);
  await second.stop();

  // Without the secret key the platform refuses to start and names the setting; then the key is reset.
  await rm(join(dataDir, 'secret-key'));
  const without = await run(env, process.execPath, 'scripts/start.mjs');
  expect(without).toMatchObject({ code: 78, output: expect.stringContaining('SECRET_KEY is not set') });
  expect(await type('npm run admin -- secret-key reset --yes')).toMatchObject({ code: 0 });
  const third = await start(env, dataDir, login);
  for (const { session } of answered.slice(0, before)) expect(await third.client.messages(session)).toHaveLength(2);
  expect(await type('npm run admin -- secret-key reset --yes')).toMatchObject({
    code: 1,
    output: expect.stringContaining('Stop the platform first'),
  });
  await third.stop();
  const check = await run(
    env,
    process.execPath,
    'packages/document-store/src/main.ts',
    '--path',
    join(dataDir, 'store'),
    '--check',
  );
  expect(check).toMatchObject({ code: 0, output: expect.stringContaining('No damage found') });

  const elsewhere = await run(
    { ...env, MONGODB_URI: 'mongodb://127.0.0.1:1/x' },
    process.execPath,
    'apps/cli/bin/admin.mjs',
    'backup',
    'x',
  );
  expect(elsewhere).toMatchObject({ code: 1, output: expect.stringContaining('mongodump') });
  expect(await type('npm run admin -- backup')).toMatchObject({
    code: 2,
    output: expect.stringContaining('Usage: npm run admin -- backup'),
  });
  expect(await type('npm run admin -- --help')).toMatchObject({
    code: 0,
    output: expect.stringContaining('restore <file>'),
  });
});
