import type { BenchPlatform } from './platform.ts';
import { heading, median, rate, report } from './report.ts';

const ITEMS = 2_000;
const ROUNDS = 3;
const CALLERS = 32;

const request = { model: 'compatible/words-1', messages: [{ role: 'user', content: 'hi' }] };

/** Compares 2,000 chats in one batch with the same number of single requests, in turn. */
export async function batches(platform: BenchPlatform): Promise<void> {
  heading(
    `${ITEMS.toLocaleString('en')} chats in one batch and as single requests, ${CALLERS} callers (${ROUNDS} rounds in turn)`,
  );
  const post = async (path: string, body: unknown) => {
    const response = await fetch(`${platform.api}${path}`, {
      method: 'POST',
      headers: platform.headers,
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as { id: string; status: string };
  };
  const single = async () => {
    await post('/chat/completions', request);
  };
  const items = Array.from({ length: ITEMS }, () => ({}));
  const takingMs: number[] = [];
  const inBatch = async () => {
    const startedAt = performance.now();
    const { id } = await post('/batches', { kind: 'chat.completion', defaults: request, items });
    takingMs.push(performance.now() - startedAt);
    const batch = await followed(platform, id);
    if (batch.counts.succeeded !== ITEMS) throw new Error(`batch: ${JSON.stringify(batch.counts)}`);
    return ITEMS / ((performance.now() - startedAt) / 1_000);
  };
  await rate(single, ITEMS, CALLERS);
  await inBatch();
  takingMs.length = 0;
  const batched: number[] = [];
  const singly: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    singly.push(await rate(single, ITEMS, CALLERS));
    batched.push(await inBatch());
  }
  report('single requests, per second (median)', Math.round(median(singly)).toLocaleString('en'));
  report('in a batch, per second (median)', Math.round(median(batched)).toLocaleString('en'));
  report(
    'ratio (median of the rounds)',
    median(batched.map((one, round) => one / (singly[round] as number))).toFixed(2),
  );
  report('accepting the batch (ms, median)', median(takingMs).toFixed(0));
}

interface Batch {
  counts: Record<string, number>;
}

async function followed({ api, headers }: BenchPlatform, id: string): Promise<Batch> {
  const response = await fetch(`${api}/batches/${id}/events`, { headers });
  const frames = (await response.text()).split('\n\n').filter((frame) => frame.startsWith('data: {'));
  return (JSON.parse(frames.at(-1)?.slice('data: '.length) ?? '{}') as { batch: Batch }).batch;
}
