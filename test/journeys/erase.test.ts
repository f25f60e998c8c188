import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, createLogin } from '@chorus/client';
import { freePort, startFakeOpenAI } from '@chorus/testing';
import { expect, it, onTestFinished } from 'vitest';
import { ApiClient } from './api-client.ts';
import { ROOT, run, start } from './npm-start.ts';
import { poll } from './poll.ts';
import { filesWith, tablesWith } from './stored-text.ts';

/** Letters only, so the index keeps it as a single token. */
const word = (start: string) => start + Buffer.from(randomBytes(8)).toString('hex').replaceAll(/\d/g, 'q');

it('leaves no personal data of an erased user on disk', { timeout: 300_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'che-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const fake = await startFakeOpenAI();
  onTestFinished(() => fake.close());
  const dataDir = join(folder, 'data');
  const admin = { email: `${randomUUID()}@example.com`, password: randomUUID() };
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    DATA_DIR: dataDir,
    PORT: String(await freePort()),
    COMPATIBLE_BASE_URL: fake.url,
    ADMIN_EMAIL: admin.email,
    ADMIN_PASSWORD: admin.password,
  };
  delete env.MONGODB_URI;
  delete env.REDIS_URL;
  const platform = await start(env, dataDir, admin);
  const [said, name, kept] = [word('geheimwort'), word('geheimname'), word('bleibendes')];
  const email = `${name}@example.com`;
  const password = randomUUID();
  const ok = async (answer: ReturnType<ApiClient['get']>) => {
    const { status, body } = await answer;
    expect(status, JSON.stringify(body)).toBe(200);
    return body;
  };

  // The user joins a colleague's workspace, and works there and in personal scope.
  const garden = (await ok(platform.client.post('/workspaces', { name: 'Garden' }))).id;
  const colleague = platform.client.inWorkspace(garden);
  const invitation = await ok(platform.client.post(`/workspaces/${garden}/invitations`, { email, role: 'editor' }));
  await ok(
    platform.client.post(
      '/invitations/accept',
      { token: invitation.token, password },
      { headers: { authorization: null } },
    ),
  );
  const meadow = (await ok(platform.client.post('/workspaces', { name: 'Meadow' }))).id;
  await ok(platform.client.post(`/workspaces/${meadow}/invitations`, { email, role: 'viewer' }));
  const alone = await ApiClient.login(() => platform.url, { email, password });
  const shared = alone.inWorkspace(garden);
  const model = 'compatible/words-5';
  for (const client of [alone, shared]) {
    const turn = await ok(client.chat({ message: `A ${said} fox.`, model }));
    await ok(client.chat({ message: `Another ${said}. `.repeat(300), model, session_id: turn.session_id }));
    const messages = await ok(client.get(`/sessions/${turn.session_id}/messages`));
    await ok(client.call('PATCH', `/messages/${messages.data[0].id}`, { body: { content: `An edited ${said} fox.` } }));
    await ok(client.post('/sessions', { title: `About ${said}` }, { headers: { 'idempotency-key': randomUUID() } }));
    await ok(client.post('/archive/units', { title: `Unit ${said}`, content: `It says ${said}.`, tags: [said] }));
    await ok(client.post('/agents', { name: `Agent ${said}`, instructions: `Always say ${said}.` }));
    await ok(client.post('/iris/generate', { prompt: `A picture of ${said}`, model: 'embedded/canvas' }));
    await ok(
      client.post('/console/knowledge', { content: `A document about ${said} and foxes. `.repeat(20), title: said }),
    );
    const items = [{ id: said, kind: 'iris.image', body: { prompt: said, model: 'embedded/canvas' } }];
    await ok(client.post('/batches', { items, metadata: { about: said } }));
  }
  await ok(alone.post('/api-keys', { name: `Key ${said}` }));
  await ok(alone.post('/workspaces', { name: `Pond ${said}` }));
  const auth = createLogin({ baseUrl: platform.url });
  await auth.login(email, password);
  await createClient({ baseUrl: platform.url, auth }).assets.upload(new File([`A file: ${said}`], `${said}.txt`));
  // A colleague's data stays.
  await ok(colleague.post('/archive/units', { title: 'Kept', content: `It says ${kept}.` }));
  await ok(colleague.post('/console/knowledge', { content: `A document about ${kept}. `.repeat(20), title: kept }));
  await poll('all documents are indexed', async () => {
    const { data } = await ok(shared.get('/console/knowledge'));
    const own = await ok(alone.get('/console/knowledge'));
    return [...data, ...own.data].every(({ status }: { status: string }) => status === 'ready');
  });
  await poll('the batches have ended', async () => {
    const lists = await Promise.all([alone, shared].map((client) => ok(client.get('/batches'))));
    return lists.every(({ data }) => data.every(({ finished_at }: { finished_at: unknown }) => finished_at !== null));
  });
  const found = async (client: ApiClient, text: string) =>
    (await ok(client.get(`/archive/units?q=${text}`))).data.length;
  await poll('all texts are indexed', async () => (await found(alone, said)) > 0 && (await found(shared, said)) > 0);

  const texts = [said, name];
  const before = await filesWith(dataDir, texts);
  for (const place of ['store/', 'redis/', 'blobs/', 'index/'])
    expect(
      before.filter((path) => path.startsWith(place)),
      place,
    ).not.toEqual([]);
  expect(await tablesWith(join(dataDir, 'index'), [said])).not.toEqual([]);
  expect(before.filter((path) => path.startsWith('logs/'))).toEqual([]);

  const erased = await run(
    env,
    process.execPath,
    join(ROOT, 'apps/cli/src/admin/main.ts'),
    'erase',
    'user',
    email,
    '--yes',
  );
  expect(erased).toMatchObject({ code: 0, output: expect.stringContaining(`Erased ${email}: `) });
  expect(erased.output).toContain(`Erased Pond ${said}: `);
  expect(erased.output).not.toContain('To do: ');
  // Redis deletes replaced files in the background.
  await poll('nothing is left', async () => {
    const left = await filesWith(dataDir, texts);
    if (left.length > 0) process.stderr.write(`still there: ${left.join(', ')}\n`);
    return left.length === 0;
  });
  expect(await tablesWith(join(dataDir, 'index'), [said])).toEqual([]);

  // The platform still works for colleagues.
  expect(await found(colleague, kept)).toBe(1);
  const { data: entries } = await ok(colleague.get('/console/knowledge'));
  expect(entries).toMatchObject([{ title: kept, status: 'ready' }]);
  expect((await filesWith(dataDir, [kept])).length).toBeGreaterThan(0);
  const { data: audit } = await ok(colleague.get('/audit?limit=100'));
  const invited = audit.filter(({ action }: { action: string }) => action === 'invitation.accepted');
  expect(invited).toMatchObject([{ details: { erased: true }, actor: { address: null } }]);
  expect((await ok(colleague.chat({ message: 'and on', model }))).status).toBe('succeeded');
  await platform.stop();
  expect(await filesWith(dataDir, texts)).toEqual([]);
});
