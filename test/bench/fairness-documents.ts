import { randomUUID } from 'node:crypto';
import { newId } from '@chorus/contract';
import { type BenchPlatform, startPlatform } from './platform.ts';
import { heading, median, percentile, report } from './report.ts';

/** Times the files are queued, and documents the other user uploads meanwhile. */
const TIMES = 10;
const LINES = 5;
const AIM_S = 10;

/** Measures how soon a one-line document is searchable while another user's large documents are queued. */
export async function documentFairness(): Promise<void> {
  const platform = await startPlatform();
  try {
    const light = await newcomer(platform);
    heading(`A one-line document beside ${TIMES} times two files of another user: 4 MB of "> ", 1 MB of "["`);
    report('alone (s): median / worst', figures(await lines(platform, light)));
    const files = [Buffer.alloc(4_000_000, '> '), Buffer.alloc(1_000_000, '[')];
    const queued: string[] = [];
    for (let time = 0; time < TIMES; time += 1)
      for (const file of files) queued.push(await upload(platform, platform.headers, file));
    report('beside them (s): median / worst', figures(await lines(platform, light)), `aim below ${AIM_S}`);
    const startedAt = performance.now();
    for (const id of queued) await ready(platform, platform.headers, id);
    report('the large documents finished after (s)', ((performance.now() - startedAt) / 1_000).toFixed(1));

    heading(`The same beside ${TIMES} documents of 1 MB of text from each of two users`);
    const other = await newcomer(platform);
    for (let time = 0; time < TIMES; time += 1)
      for (const headers of [platform.headers, other]) await upload(platform, headers, text());
    await new Promise((resolve) => setTimeout(resolve, 15_000)); // wait until they are being processed
    report('beside them (s): median / worst', figures(await lines(platform, light)), `aim below ${AIM_S}`);
  } finally {
    await platform.stop();
  }
}

const figures = (seconds: number[]) => `${median(seconds).toFixed(1)} / ${percentile(seconds, 1).toFixed(1)}`;

type Headers = Record<string, string>;

/** Uploads one-line documents in sequence and measures the seconds until each is searchable. */
async function lines(platform: BenchPlatform, headers: Headers): Promise<number[]> {
  const seconds: number[] = [];
  for (let line = 0; line < LINES; line += 1) {
    const startedAt = performance.now();
    const id = await upload(platform, headers, Buffer.from(`The lighthouse ${newId('job')} was built in 1911.`));
    await ready(platform, headers, id);
    seconds.push((performance.now() - startedAt) / 1_000);
  }
  return seconds;
}

async function upload({ api }: BenchPlatform, headers: Headers, bytes: Buffer): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(bytes)]), 'document.md');
  form.append('on_duplicate', 'create');
  const { 'content-type': _, ...rest } = headers;
  const answer = await fetch(`${api}/console/knowledge/upload`, { method: 'POST', headers: rest, body: form });
  if (!answer.ok) throw new Error(`upload: ${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { id: string }).id;
}

async function ready({ api }: BenchPlatform, headers: Headers, id: string): Promise<void> {
  for (;;) {
    const entry = (await (await fetch(`${api}/console/knowledge/${id}`, { headers })).json()) as Record<
      string,
      unknown
    >;
    if (entry.status === 'ready') return;
    if (entry.status === 'failed') throw new Error(JSON.stringify(entry.error));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export async function newcomer({ api, headers }: BenchPlatform): Promise<Headers> {
  const post = async (path: string, body: object, as: Headers = headers) => {
    const answer = await fetch(`${api}${path}`, { method: 'POST', headers: as, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Record<string, string>;
  };
  const workspace = await post('/workspaces', { name: 'Guests' });
  const within = { ...headers, 'x-scope-type': 'workspace', 'x-workspace-id': String(workspace.id) };
  const invited = { email: `${randomUUID()}@example.com`, role: 'viewer' };
  const { token } = await post(`/workspaces/${workspace.id}/invitations`, invited, within);
  const json = { 'content-type': 'application/json' };
  const { access_token } = await post('/invitations/accept', { token, password: randomUUID() }, json);
  return { ...headers, authorization: `Bearer ${access_token}` };
}

function text(): Buffer {
  const word = () => Math.random().toString(36).slice(2, 9).replace(/\d/g, 'a');
  return Buffer.from(Array.from({ length: 125_000 }, (_, at) => (at % 12 === 11 ? `${word()}.` : word())).join(' '));
}
