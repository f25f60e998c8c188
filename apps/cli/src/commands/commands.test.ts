import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@chorus/client';
import { CLIP_WEBM, TINY_PNG } from '@chorus/testing';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startBatchWorkers } from '../../../api/src/test-batch-workers.ts';
import { publishModels } from '../../../api/src/test-chat.ts';
import { startReadingWorkers } from '../../../api/src/test-reading-workers.ts';
import { startTestServer, type TestServer } from '../../../api/src/test-server.ts';
import { type CommandLine, commandLine } from '../test-command-line.ts';

let server: TestServer;
let workers: Awaited<ReturnType<typeof startBatchWorkers>>;
let folder: string;
let chorus: CommandLine['run'];
let start: CommandLine['start'];
beforeAll(async () => {
  [server, folder] = await Promise.all([startTestServer(), mkdtemp(join(tmpdir(), 'chorus-cli-'))]);
  workers = await startBatchWorkers(server);
  await publishModels(server, 'media', { 'test/image': ['image'] });
  const env = { XDG_CONFIG_HOME: join(folder, '.config'), CHORUS_URL: server.url };
  ({ run: chorus, start } = commandLine(folder, env));
});
afterAll(async () => {
  await workers?.stop();
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

const linesOf = (out: string) =>
  out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
const account = () => join(folder, '.config', 'chorus', 'account.json');
const client = () => createClient({ baseUrl: server.url, token: server.accessToken });

test('stores a login for its user only and sends it only to its platform', async () => {
  const { email, password } = server.login;
  const [none, wrong, away] = await Promise.all([
    chorus(['chat', 'count 2']),
    chorus(['login', '--email', email], { input: 'wrong\n' }),
    chorus(['login', '--email', email, '--url', 'http://127.0.0.1:9'], { input: 'any\n' }),
  ]);
  expect(none).toEqual({ code: 3, out: '', errors: expect.stringContaining('chorus login') });
  expect(wrong).toMatchObject({ code: 3, out: '' });
  expect(away.code).toBe(4);
  await expect(stat(account())).rejects.toThrow();

  const login = await start(['login'], { input: `${email}\n${password}\n` }).ended;
  expect(login).toEqual({ code: 0, out: `Logged in to ${server.url} as ${email}.\n`, errors: '' });
  expect((await stat(account())).mode & 0o777).toBe(0o600);
  const [said, elsewhere, asArgument] = await Promise.all([
    chorus(['chat', 'count', '3'], { env: { CHORUS_URL: '' } }),
    chorus(['chat', 'count 3', '--url', server.url.replace('127.0.0.1', 'localhost')]),
    chorus(['login', password]),
  ]);
  expect(said).toEqual({ code: 0, out: '1 2 3\n', errors: '' });
  expect(elsewhere.code).toBe(3);
  expect(asArgument.code).toBe(2);
});

test('shows tool calls and refusals of an answer', async () => {
  const call = { type: 'tool_call.delta', index: 1, call: 0, id: 'c', name: 'weather', first: true };
  const events = [
    { type: 'refusal.delta', index: 0, delta: 'I will not say.' },
    { ...call, arguments_delta: '{"city":"Oslo"}' },
  ];
  const message = `emit ${JSON.stringify(events)}`;
  const said = await chorus(['chat', message]);
  expect(said).toMatchObject({ code: 0, out: 'I will not say.\n→ weather({"city":"Oslo"})\n' });
  const [job] = (await client().jobs.list({ limit: 1 })).data;
  expect((await chorus(['jobs', 'watch', job?.id ?? ''])).out).toBe('I will not say.\n→ weather {"city":"Oslo"}\n');
});

test('says what an answer waits for, once per reason', async () => {
  const away = { type: 'execution.waiting', reason: 'away', provider: 'openai', until: null };
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const limited = { ...away, reason: 'slow_down', until };
  const said = await chorus(['chat', `emit ${JSON.stringify([away, away, limited])}`]);
  expect(said.code).toBe(0);
  expect(said.errors).toMatch(
    /^Waiting for openai \(it does not answer\)…\nWaiting for openai until \d\d:\d\d \(rate limit\)…\n$/,
  );
});

test('reads a turn from standard input, prints frames, fails, and cancels on Ctrl-C', async () => {
  const holding = start(['chat', '--json', 'hold']);
  await once(holding.child.stdout, 'data');
  const [printed, failed, asked] = await Promise.all([
    chorus(['chat', '--json'], { input: 'restart 6' }),
    chorus(['chat', 'fail']),
    chorus(['ask', 'count', '2']),
  ]);
  const frames = linesOf(printed.out);
  expect(frames.map(({ type }) => type)).toEqual(expect.arrayContaining(['execution.queued', 'text.reset']));
  expect(frames.at(-1)).toMatchObject({ type: 'execution.succeeded', execution: { output: [{ text: '4 5 6 ' }] } });
  expect(failed).toEqual({ code: 1, out: '', errors: expect.stringMatching(/^Failed: It fails\. \(job_\w+\)\n$/) });
  expect(asked).toMatchObject({ code: 0, out: '1 2\n' });

  holding.child.kill('SIGINT');
  const { code, out, errors } = await holding.ended;
  const { execution } = linesOf(out).at(-1);
  expect([code, errors]).toEqual([130, `Cancelled: ${execution.id}\n`]);
  expect((await client().jobs.get(execution.id)).status).toBe('cancelled');
  expect((await chorus(['jobs', 'retry', execution.id, '--json'])).out).toContain(execution.id);
});

test('cancels waiting work on Ctrl-C and reports work that continues', async () => {
  await publishModels(server, 'vision', { 'embedded/ocr': ['ocr'] });
  await publishModels(server, 'voice', { 'embedded/ear': ['transcription'], 'embedded/mouth': ['speech'] });
  await mkdir(join(folder, 'later'));
  await writeFile(join(folder, 'later', 'later.md'), 'Later.');
  await writeFile(join(folder, 'later.png'), TINY_PNG);
  const known = new Set((await client().jobs.list()).data.map(({ id }) => id));
  const begun = async () => (await client().jobs.list()).data.filter(({ id }) => !known.has(id));
  const cancelling = [
    chorus(['image', 'hold it']),
    chorus(['ask', 'hold']),
    chorus(['ocr', 'later.png']),
    chorus(['voice', '--text', 'hold']),
  ];
  const leaving = Promise.all([chorus(['ingest', 'later']), chorus(['jobs', 'watch'])]);
  await expect.poll(async () => (await begun()).length, { timeout: 20_000 }).toBe(5);
  const running = async () => (await begun()).filter(({ status }) => status === 'running').map(({ kind }) => kind);
  await expect.poll(running).toHaveLength(2);
  process.emit('SIGINT');
  for (const { code, errors } of await Promise.all(cancelling))
    expect([code, errors]).toEqual([130, expect.stringMatching(/^(Cancelling once .*\n)?Cancelled: job_\w+\n$/)]);
  const [ingested, watched] = await leaving;
  expect([ingested.code, watched.code]).toEqual([130, 130]);
  expect(ingested.errors).toContain('Run the same command');
  const statuses = (await begun()).map(({ kind, status }) => [kind, status]).toSorted();
  expect(statuses.filter(([, status]) => status !== 'cancelled')).toEqual([['knowledge.ingest', 'queued']]);
  for await (const { id } of client().knowledge.all()) await client().knowledge.delete(id);
});

test('resumes a batch after a crash with each result once in the file', async () => {
  const rows = Array.from({ length: 12 }, (_, index) => `i${index},${index < 4 ? 'go' : 'hold'} ${index},64x64`);
  await writeFile(join(folder, 'prompts.csv'), ['id,prompt,size', ...rows].join('\n'));
  const results = join(folder, 'prompts.csv.results.ndjson');
  const known = () =>
    readFile(results, 'utf8').then(
      (found) => found.split('\n').length - 1,
      () => 0,
    );

  const killed = start(['batch', 'prompts.csv']);
  await expect.poll(known, { timeout: 60_000 }).toBe(4);
  killed.child.kill('SIGKILL');
  await killed.ended;
  // A kill in the middle of a line.
  await writeFile(results, `${await readFile(results, 'utf8')}{"cursor":"9`);
  const stopped = start(['batch', 'prompts.csv']);
  await once(stopped.child.stderr, 'data');
  expect(await chorus(['batch', 'prompts.csv'])).toMatchObject({
    code: 2,
    errors: expect.stringContaining('Another command is already following'),
  });
  stopped.child.kill('SIGINT');
  const { code, errors } = await stopped.ended;
  expect([code, errors]).toEqual([130, expect.stringMatching(/^Resuming (bat_\w+)\.\n\n\1 continues/)]);

  workers.letGo();
  await writeFile(join(folder, 'wrong.csv'), 'prompt,colour\nx,red\n');
  await writeFile(join(folder, 'wrong.csv.results.ndjson'), 'of yesterday\n');
  await writeFile(join(folder, 'marked.ndjson'), '\uFEFF{"id":"a","body":{"prompt":"go"}}\r\n');
  const kept = await chorus(['batch', 'wrong.csv']);
  const past = ['--expires', '2000-01-01T00:00:00Z'];
  await writeFile(join(folder, 'late.csv'), 'prompt\ngo\n');
  const [away, refused, late] = await Promise.all([
    chorus(['batch', 'marked.ndjson', '--url', 'http://127.0.0.1:9'], { env: { CHORUS_API_KEY: 'chk_any' } }),
    chorus(['batch', 'wrong.csv', '--force']),
    chorus(['batch', 'late.csv', ...past]),
  ]);
  expect(kept).toMatchObject({ code: 2, errors: expect.stringContaining('results.ndjson exists. Use --force') });
  // A lost response may have created the batch; a refusal has not.
  expect([away.code, await readFile(join(folder, 'marked.ndjson.chorus.json'), 'utf8')]).toEqual([
    4,
    expect.stringContaining('"batch_id":null'),
  ]);
  expect([refused.code, refused.errors]).toEqual([5, expect.stringContaining('colour')]);
  expect([late.code, late.errors]).toEqual([5, expect.stringContaining('expires_at: must be in the future')]);
  expect(await readFile(join(folder, 'wrong.csv.results.ndjson'), 'utf8')).toBe('of yesterday\n');
  await expect(stat(join(folder, 'wrong.csv.chorus.json'))).rejects.toThrow();

  const last = await chorus(['batch', 'prompts.csv']);
  expect(last).toMatchObject({ code: 0, out: '12 of 12 succeeded. Results: prompts.csv.results.ndjson\n' });
  expect(last.errors).not.toContain('\x1b');
  const items = linesOf(await readFile(results, 'utf8')).map(({ item_id }) => item_id);
  expect(items.toSorted()).toEqual(rows.map((row) => row.split(',')[0]).toSorted());
  await expect(stat(join(folder, 'prompts.csv.chorus.json'))).rejects.toThrow();
  expect((await client().batches.list()).data).toHaveLength(1);
});

test('ingests a folder once, whatever its file names', async () => {
  await mkdir(join(folder, 'docs', 'sub', '.hidden'), { recursive: true });
  for (const [name, words] of [
    ['mill.md', 'A mill.'],
    ['sub/lake.txt', 'A lake.'],
    ['sub/program.bin', 'x'],
    ['sub/.hidden/secret.txt', 'Secret.'],
  ] as const)
    await writeFile(join(folder, 'docs', name), words);
  const first = await chorus(['ingest', 'docs', '--no-wait', '--tag', 'water', '--json']);
  expect(first.code).toBe(0);
  const outcomes = linesOf(first.out);
  expect(outcomes.map(({ status, file }) => [status, file.slice(folder.length)]).toSorted()).toEqual([
    ['added', '/docs/mill.md'],
    ['added', '/docs/sub/lake.txt'],
  ]);
  await writeFile(join(folder, 'docs', 'copy.md'), 'A mill.');
  const [again, missing] = await Promise.all([chorus(['ingest', 'docs']), chorus(['ingest', 'nowhere'])]);
  expect(again).toMatchObject({ code: 0, out: expect.stringContaining('0 added, 3 already present, 0 failed.') });
  expect(missing.code).toBe(2);
  const entries = await Array.fromAsync(client().knowledge.all());
  expect(entries.map(({ title, tags }) => [title, tags]).toSorted()).toEqual([
    ['lake', ['water']],
    ['mill', ['water']],
  ]);
});

test('reads a file, answers speech, and saves the results', async () => {
  const reading = await startReadingWorkers(server);
  onTestFinished(() => reading.stop());
  await writeFile(join(folder, 'scan.png'), TINY_PNG);
  await writeFile(join(folder, 'question.webm'), CLIP_WEBM);
  const bytes = `${TINY_PNG.length} bytes`;
  const [read, asMarkdown, printed, answered, written, wrong, none, unwritten] = await Promise.all([
    chorus(['ocr', 'scan.png', '--pages', '1,3']),
    chorus(['ocr', 'scan.png', '--markdown', '-o', 'scan.md']),
    chorus(['ocr', 'scan.png', '--language', 'deu', '--json']),
    chorus(['voice', 'question.webm', '--voice', 'alto', '--format', 'wav', '-o', 'answers']),
    chorus(['voice', '--text', 'Hello', '--json']),
    chorus(['voice', '--text', 'Hello', '--format', 'midi']),
    chorus(['ocr', 'missing.pdf']),
    chorus(['ocr', 'scan.png', '-o', '.']),
  ]);
  expect(read).toMatchObject({ code: 0, out: `1: ${bytes}\n\n3: ${bytes}\n` });
  expect(asMarkdown).toMatchObject({ code: 0, out: '' });
  expect(await readFile(join(folder, 'scan.md'), 'utf8')).toBe(`# 1\n\n${bytes}\n`);
  expect(linesOf(printed.out).at(-1)).toMatchObject({
    type: 'execution.succeeded',
    execution: { kind: 'iris.ocr', output: [{ type: 'ocr', languages: ['deu'] }] },
  });
  expect(answered).toMatchObject({
    code: 0,
    out: expect.stringContaining(`You: ${CLIP_WEBM.length} bytes\nas alto in wav\n`),
  });
  const [saved = ''] = await readdir(join(folder, 'answers'));
  expect(await readFile(join(folder, 'answers', saved))).toEqual(TINY_PNG);
  const [{ execution }, file] = linesOf(written.out).slice(-2);
  expect(execution.output).toMatchObject([{ text: 'Hello' }, { type: 'text' }, { type: 'asset' }]);
  expect(await readFile(file.path)).toEqual(TINY_PNG);
  expect([wrong.code, none.code]).toEqual([2, 2]);
  expect(unwritten).toMatchObject({ code: 1, errors: expect.stringMatching(/^EISDIR: .*\n$/) });
});

test('deletes an ended job, with its files on request', async () => {
  const { id } = await client().chat.send({ message: 'count 2' });
  const { id: other } = await client().chat.send({ message: 'count 2' });
  const [printed, json] = await Promise.all([
    chorus(['jobs', 'delete', id]),
    chorus(['jobs', 'delete', other, '--assets', '--json']),
  ]);
  expect(printed).toEqual({ code: 0, out: `${id}  deleted\n`, errors: '' });
  expect(linesOf(json.out)).toEqual([{ id: other, object: 'execution', deleted: true }]);
  const [gone, none] = await Promise.all([chorus(['jobs', 'get', id]), chorus(['jobs', 'delete'])]);
  expect([gone.code, none.code]).toEqual([5, 2]);
});

test('lists executions and usage, and distinguishes errors', async () => {
  await client().chat.send({ message: 'count 2' });
  const { secret } = await client().keys.create({ name: 'cli' });
  const env = { CHORUS_API_KEY: secret, XDG_CONFIG_HOME: join(folder, 'nobody') };
  const [table, list, used, usage, unknown, action, option, key, help] = await Promise.all([
    chorus(['jobs', 'list', '--limit', '1', '--status', 'succeeded']),
    chorus(['jobs', 'list', '--status', 'succeeded', '--kind', 'chat.completion', '--json'], { env }),
    chorus(['usage', '--json']),
    chorus(['usage']),
    chorus(['jobs', 'cancel', 'job_01h455vb4pex5vsknk084sn02q']),
    chorus(['jobs', 'dance']),
    chorus(['chat', '--colour']),
    chorus(['chat', 'x'], { env: { ...env, CHORUS_API_KEY: 'chk_wrong' } }),
    chorus(['image', '--help']),
  ]);
  expect(table.out).toMatch(/^ID +KIND +STATUS +MODEL +CREATED\njob_\w+ .*\n$/);
  expect(linesOf(list.out)[0]).toMatchObject({ kind: 'chat.completion', status: 'succeeded' });
  const [storage, total] = linesOf(used.out).slice(-2);
  expect(total).toMatchObject({ object: 'usage.total' });
  expect(storage).toEqual({ object: 'usage.storage', used_bytes: expect.any(Number), limit_bytes: null });
  expect(usage.out).toMatch(/\nStored: [\d,]+ bytes\.\n/);
  expect(usage.out).toMatch(/^DAY +MODEL +KEY +EXECUTIONS [\s\S]*\ntotal /);
  expect([unknown.code, action.code, option.code, key.code]).toEqual([5, 2, 2, 3]);
  expect(option.errors).toContain("Unknown option '--colour'\n");
  expect(key.errors).toContain('chorus login');
  expect(help).toMatchObject({ code: 0, out: expect.stringContaining('130 interrupted') });
  expect((await chorus(['logout'])).code).toBe(0);
  await expect(stat(account())).rejects.toThrow();
});

const logIn = async () => {
  const { email, password } = server.login;
  expect((await chorus(['login'], { input: `${email}\n${password}\n` })).code).toBe(0);
};

test('shows the user, scope, and platform, and diagnoses problems', async () => {
  await logIn();
  const { email } = server.login;
  expect((await chorus(['whoami'])).out).toBe(`${email} (operator) at ${server.url}\npersonal, owner\n`);
  expect((await chorus(['models', '--can', 'image'])).out).toMatch(/^test\/image +image/m);
  const well = await chorus(['doctor']);
  expect(well.out).toContain(`✓ ${server.url} is ready.\n✓ Logged in as ${email}, owner of the personal scope.\n`);
  const away = await chorus(['doctor', '--url', 'http://127.0.0.1:9']);
  expect(away).toMatchObject({ code: 1, out: expect.stringContaining('✗ Cannot reach http://127.0.0.1:9') });
  const bad = await chorus(['doctor'], { env: { CHORUS_API_KEY: 'chk_wrong' } });
  expect(bad).toMatchObject({
    code: 1,
    out: expect.stringContaining('✗ The login has expired, or the key is not valid'),
  });
  const unreachable = await chorus(['models', '--url', 'http://127.0.0.1:9'], { env: { CHORUS_API_KEY: 'chk_any' } });
  expect(unreachable).toMatchObject({
    code: 4,
    errors: expect.stringMatching(/^Cannot reach http:\/\/127\.0\.0\.1:9: /),
  });
});

test('logs in with a code that is approved in a browser', async () => {
  const { email } = server.login;
  const { child, ended } = start(['login', '--device', '--profile', 'device', '--json']);
  const [shown] = (await once(child.stdout, 'data')) as [Buffer];
  const { user_code, verification_uri_complete } = JSON.parse(shown.toString());
  expect(verification_uri_complete).toBe(`${server.url}/device?code=${user_code}`);
  await client().request('POST /auth/device/decision', { body: { user_code, approve: true } });
  expect(await ended).toMatchObject({ code: 0, out: expect.stringContaining(`"email":"${email}"`) });
  const who = await chorus(['whoami', '--profile', 'device']);
  expect(who).toMatchObject({ code: 0, out: expect.stringContaining(email) });
  expect((await chorus(['logout', '--profile', 'device'])).code).toBe(0);
});

test('keeps a login for each profile', async () => {
  await logIn();
  const key = await client().keys.create({ name: 'profile', permissions: ['read'] });
  const stored = await chorus(['login', '--key', '--profile', 'robot'], { input: `${key.secret}\n` });
  expect(stored.code).toBe(0);
  const env = { CHORUS_PROFILE: 'robot' };
  expect((await chorus(['sessions', 'list'], { env })).code).toBe(0);
  expect(await chorus(['image', 'a cat'], { env })).toMatchObject({ code: 3, errors: expect.stringContaining('run') });
  expect((await chorus(['logout', '--profile', 'robot'])).code).toBe(0);
  expect((await chorus(['sessions', 'list'], { env })).code).toBe(3);
  expect((await chorus(['whoami'])).code).toBe(0);
});

test('manages files without overwriting any, documents, conversations, and webhooks', async () => {
  await logIn();
  await writeFile(join(folder, 'note.txt'), 'A note.');
  const [id = ''] = (await chorus(['assets', 'upload', 'note.txt'])).out.split(' ');
  expect((await chorus(['assets', 'list'])).out).toMatch(new RegExp(`^${id} +text/plain +7 +note.txt`, 'm'));
  const refused = await chorus(['assets', 'download', id]);
  expect(refused).toMatchObject({ code: 2, errors: expect.stringContaining('note.txt exists. Use --force') });
  expect((await chorus(['assets', 'download', id, 'copy.txt'])).out).toBe('copy.txt\n');
  await writeFile(join(folder, 'copy.txt'), 'Changed.');
  expect((await chorus(['assets', 'download', id, 'copy.txt', '--force'])).code).toBe(0);
  expect(await readFile(join(folder, 'copy.txt'), 'utf8')).toBe('A note.');
  expect((await chorus(['image', 'go', '-o', 'copy.txt'])).errors).toContain('copy.txt exists. Use --force');
  expect((await chorus(['assets', 'delete', id])).out).toBe(`${id}  deleted\n`);

  const entry = await client().knowledge.create({ content: 'Boats berth at the quay.', title: 'Boats', tags: ['sea'] });
  expect((await chorus(['documents', 'list', '--tag', 'sea'])).out).toContain(`${entry.id}  processing  Boats`);
  expect(JSON.parse((await chorus(['documents', 'get', entry.id])).out)).toMatchObject({ id: entry.id });
  expect((await chorus(['documents', 'delete', entry.id])).out).toBe(`${entry.id}  deleted\n`);

  const { session_id = '' } = await client().chat.send({ message: 'count 2' });
  expect((await chorus(['sessions', 'rename', session_id ?? '', 'Counting'])).code).toBe(0);
  expect((await chorus(['sessions', 'list'])).out).toContain('Counting');
  expect((await chorus(['sessions', 'show', session_id ?? ''])).out).toBe('user: count 2\n\nassistant: 1 2\n\n');
  const shared = await chorus(['sessions', 'share', session_id ?? '', '--days', '2']);
  expect(shared.out).toMatch(/^http:\/\/[^/]+\/share\/[\w-]{43}\n$/);
  expect((await chorus(['sessions', 'export', session_id ?? ''])).out).toContain('## Answer\n\n1 2\n');
  const exported = (await chorus(['sessions', 'export', session_id ?? '', '--json'])).out;
  await writeFile(join(folder, 'sessions.json'), exported);
  expect((await chorus(['sessions', 'import', 'sessions.json'])).out).toBe('0 imported, 1 skipped, 0 failed\n');
  expect((await chorus(['sessions', 'archive', session_id ?? ''])).code).toBe(0);
  expect((await chorus(['sessions', 'list'])).out).not.toContain('Counting');
  expect((await chorus(['sessions', 'delete', session_id ?? ''])).code).toBe(0);
  await writeFile(join(folder, 'sessions.json'), `[${exported}, {"title": "Odd", "create_time": 1}]`);
  const imported = await chorus(['sessions', 'import', 'sessions.json']);
  expect(imported).toEqual({ code: 1, out: '1 imported, 0 skipped, 1 failed\n', errors: 'Odd: mapping is required\n' });
  expect((await chorus(['sessions', 'export'])).out).toContain('"title":"Counting"');

  const secret = (await chorus(['webhooks', 'secret'])).out;
  expect(secret).toMatch(/^whsec_/);
  expect((await chorus(['webhooks', 'rotate'])).out).not.toBe(secret);
  expect((await chorus(['webhooks', 'list'])).code).toBe(0);
});
