import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Platform, startPlatform } from './platform.ts';
import { poll } from './poll.ts';

const LINES = process.env.CHORUS_SOAK === '1' ? 200 : 80;

let platform: Platform;
let key: string;

beforeAll(async () => {
  platform = await startPlatform({ apis: 1, textWorkers: 2, maintenance: 1, models: ['words-60'] });
  const permissions = ['read', 'write', 'run'];
  key = (await platform.client.post('/api-keys', { name: 'batches', permissions })).body.secret;
});
afterAll(() => platform?.stop());
beforeEach(() => platform.showLogsOnFailure());

const clientAt = (url: string) => new OpenAI({ baseURL: `${url}/openai/v1`, apiKey: key, maxRetries: 5 });

/** One in ten requests fails. */
const requestOf = (at: number) => {
  const model = at % 10 === 9 ? 'compatible/refuse' : 'compatible/words-60';
  const body = { model, messages: [{ role: 'user', content: `Line ${at}` }] };
  return { custom_id: `line-${at}`, method: 'POST', url: '/v1/chat/completions', body };
};

async function linesOf(client: OpenAI, id: string | undefined) {
  const text = await (await client.files.content(id ?? '')).text();
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

test('a file batch survives kills of every process, with each line once in one file', async () => {
  let api = platform.apis[0];
  let client = clientAt(api?.url ?? '');
  const text = Array.from({ length: LINES }, (_, at) => JSON.stringify(requestOf(at))).join('\n');
  const file = await client.files.create({ file: await toFile(Buffer.from(text), 'in.jsonl'), purpose: 'batch' });
  const { id } = await client.batches.create({
    input_file_id: file.id,
    endpoint: '/v1/chat/completions',
    completion_window: '24h',
  });
  const completed = async () => (await client.batches.retrieve(id)).request_counts?.completed ?? 0;
  await poll('some lines are done', async () => (await completed()) > LINES / 10);
  await Promise.all([platform.maintenance[0]?.end('SIGKILL'), platform.textWorkers[0]?.end('SIGKILL')]);
  await Promise.all([platform.startMaintenance(), platform.startTextWorker()]);

  // Twice: before the files are written, and while they are.
  for (let kill = 0; kill < 2; kill += 1) {
    const ending = ['finalizing', 'completed'];
    await poll('the batch ends', async () => ending.includes((await client.batches.retrieve(id)).status), 120_000);
    await api?.end('SIGKILL');
    api = await platform.startApi();
    client = clientAt(api.url);
  }

  await poll('the files are written', async () => (await client.batches.retrieve(id)).status === 'completed', 60_000);
  const batch = await client.batches.retrieve(id);
  expect(batch.request_counts).toEqual({ total: LINES, completed: LINES * 0.9, failed: LINES * 0.1 });
  const [output, errors] = [await linesOf(client, batch.output_file_id), await linesOf(client, batch.error_file_id)];
  const ids = (failed: boolean) =>
    Array.from({ length: LINES }, (_, at) => at).filter((at) => (at % 10 === 9) === failed);
  expect(output.map(({ custom_id }) => custom_id)).toEqual(ids(false).map((at) => `line-${at}`));
  expect(errors.map(({ custom_id }) => custom_id)).toEqual(ids(true).map((at) => `line-${at}`));
  for (const { response, error } of output) {
    expect([response.status_code, error]).toEqual([200, null]);
    expect(response.body.choices[0].message.content.split(' ')).toHaveLength(60);
  }
  for (const { response } of errors) expect(response.body.error.code).toBe('content_refused');
  expect(await Array.fromAsync(client.files.list({ purpose: 'batch_output' }))).toHaveLength(2);
}, 300_000);
