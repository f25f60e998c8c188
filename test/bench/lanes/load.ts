import { setTimeout as pause } from 'node:timers/promises';
import type { ApiClient } from '../../journeys/api-client.ts';
import type { Payload } from '../../journeys/event-stream.ts';

/** Work of one user. */
export interface Load {
  chats: number;
  images: number;
  documents: number;
}

/** How a user's work ended. */
export interface LoadResult {
  succeeded: number;
  failed: Payload[];
  /** Ends of chats, in ms since the start. */
  endedAt: number[];
  tookMs: number;
}

const POLL_MS = 500;

/** People read an answer before they ask again. */
const THINK_MS = 3_000;

/** Sends batches of one user, and waits for their ends. Prompts begin with `name`, so that repeated calls are found. */
export async function runLoad(
  client: ApiClient,
  name: string,
  { chats, images, documents }: Load,
  { chatModel, imageModel, words = 0 }: { chatModel: string; imageModel: string; words?: number },
): Promise<LoadResult> {
  const startedAt = performance.now();
  const result: LoadResult = { succeeded: 0, failed: [], endedAt: [], tookMs: 0 };
  const items = [
    ...Array.from({ length: chats }, (_, at) => ({
      kind: 'chat.completion',
      body: { model: chatModel, messages: [{ role: 'user', content: `${name} chat ${at}${' word'.repeat(words)}` }] },
    })),
    ...Array.from({ length: images }, (_, at) => ({
      kind: 'iris.image',
      body: { model: imageModel, prompt: `${name} image ${at}` },
    })),
    ...Array.from({ length: documents }, (_, at) => ({
      kind: 'knowledge.ingest',
      body: { content: `${name} document ${at} says that its number is ${at}.`, on_duplicate: 'create' },
    })),
  ];
  await Promise.all(
    [...Map.groupBy(items, ({ kind }) => kind)].map(async ([kind, own]) => {
      const { status, body } = await client.post('/batches', { kind, items: own.map((item) => ({ body: item.body })) });
      if (status !== 200) throw new Error(`POST /batches: ${status} ${JSON.stringify(body)}`);
      let batch = body;
      let before = 0;
      while (batch.finished_at === null) {
        await pause(POLL_MS);
        batch = (await client.get(`/batches/${body.id}`)).body;
        if (kind === 'chat.completion')
          for (; before < batch.counts.succeeded; before += 1) result.endedAt.push(performance.now() - startedAt);
      }
      result.succeeded += batch.counts.succeeded;
      if (batch.counts.succeeded < own.length) result.failed.push(...(await failuresOf(client, body.id)));
    }),
  );
  result.tookMs = performance.now() - startedAt;
  return result;
}

async function failuresOf(client: ApiClient, id: string): Promise<Payload[]> {
  const { body } = await client.get(`/batches/${id}/results`);
  const lines = String(body)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Payload);
  return lines.filter(({ status }) => status !== undefined && status !== 'succeeded');
}

/** Runs streams one after another until the signal aborts. Returns the times to the first word of each. */
export async function runStreams(
  client: ApiClient,
  name: string,
  model: string,
  signal: AbortSignal,
): Promise<{ firstMs: number[]; failed: Payload[] }> {
  const firstMs: number[] = [];
  const failed: Payload[] = [];
  for (let number = 0; !signal.aborted; number += 1) {
    const startedAt = performance.now();
    const content = `${name} stream ${number}`;
    const stream = await client.stream({ model, messages: [{ role: 'user', content }] });
    let first: number | null = null;
    for await (const { data } of stream) {
      if (typeof data !== 'object' || data === null) continue;
      if (first === null && data.choices?.[0]?.delta?.content) first = performance.now() - startedAt;
      if (data.type === 'execution.failed' || data.error) failed.push(data.execution?.error ?? data.error);
    }
    if (first !== null) firstMs.push(first);
    await pause(THINK_MS * (0.5 + Math.random()), undefined, { signal }).catch(() => undefined);
  }
  return { firstMs, failed };
}
