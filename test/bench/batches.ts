import { heading, median, rate, report } from './figures.ts';
import type { BenchPlatform } from './platform.ts';

const ITEMS = 2_000;
const ROUNDS = 3;
const CALLERS = 32;

const request = { model: 'compatible/words-1', messages: [{ role: 'user', content: 'hi' }] };

/**
 * What a batch costs over its work: 2,000 chats as one batch, from its sending to its end, beside as many that callers ask for one by one and wait for, in turn.
 */
export async function batches(platform: BenchPlatform): Promise<void> {
  heading(
    `A batch of ${ITEMS.toLocaleString('en')} chats beside as many waited ones, ${CALLERS} callers (${ROUNDS} rounds in turn)`,
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
    const began = performance.now();
    const { id } = await post('/batches', { kind: 'chat.completion', defaults: request, items });
    takingMs.push(performance.now() - began);
    const batch = await followed(platform, id);
    if (batch.counts.succeeded !== ITEMS) throw new Error(`batch: ${JSON.stringify(batch.counts)}`);
    return ITEMS / ((performance.now() - began) / 1_000);
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
  report('one by one, per second (median)', Math.round(median(singly)).toLocaleString('en'));
  report('in a batch, per second (median)', Math.round(median(batched)).toLocaleString('en'));
  report(
    'ratio (median of the pairs)',
    median(batched.map((one, round) => one / (singly[round] as number))).toFixed(2),
  );
  report('to take a batch in (ms, median)', median(takingMs).toFixed(0));
}

interface Batch {
  counts: Record<string, number>;
}

/** The batch at its end, as its events tell it. */
async function followed({ api, headers }: BenchPlatform, id: string): Promise<Batch> {
  const response = await fetch(`${api}/batches/${id}/events`, { headers });
  const frames = (await response.text()).split('\n\n').filter((frame) => frame.startsWith('data: {'));
  return (JSON.parse(frames.at(-1)?.slice('data: '.length) ?? '{}') as { batch: Batch }).batch;
}
