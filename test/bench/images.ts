import { availableParallelism } from 'node:os';
import { renderPicture } from '../../packages/canvas/src/render-picture.ts';
import type { BenchPlatform } from './platform.ts';
import { heading, median, report } from './report.ts';

const IMAGES = 60;
const ROUNDS = 3;
const SIDE = 1024;
const STYLE = { negativePrompt: '', width: SIDE, height: SIDE, palette: [] };

const SUBJECTS = ['a red fox', 'two sailing boats', 'a lighthouse', 'an old tree', 'a castle', 'three balloons'];
const PLACES = ['by the sea at dusk', 'in the mountains', 'under a starry sky', 'in a meadow', 'in the rain'];

const prompts = Array.from(
  { length: IMAGES },
  (_, index) => `${SUBJECTS[index % SUBJECTS.length]} ${PLACES[index % PLACES.length]}`,
);

/** Compares a batch of images (drawn, signed, hashed, stored) with a bare loop of the renderer, in turn. */
export async function images(platform: BenchPlatform): Promise<void> {
  heading(
    `A batch of ${IMAGES} embedded images of ${SIDE}² and a bare loop of the renderer (${ROUNDS} rounds in turn)`,
  );
  const bare = async () => {
    const startedAt = performance.now();
    for (const [seed, prompt] of prompts.entries()) await renderPicture({ prompt, seed, ...STYLE });
    return IMAGES / ((performance.now() - startedAt) / 1_000);
  };
  await bare();
  await inBatch(platform);
  const bares: number[] = [];
  const batches: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    bares.push(await bare());
    batches.push(await inBatch(platform));
  }
  report('bare loop, one thread (images per second, median)', median(bares).toFixed(1));
  report('batch (images per second, median)', median(batches).toFixed(1), `${availableParallelism()} cores`);
  report(
    'ratio (median of the rounds)',
    median(batches.map((rate, round) => rate / (bares[round] as number))).toFixed(2),
  );
}

async function inBatch({ api, headers }: BenchPlatform): Promise<number> {
  const startedAt = performance.now();
  const response = await fetch(`${api}/batches`, {
    method: 'POST',
    headers,
    body: JSON.stringify({
      kind: 'iris.image',
      defaults: { model: 'embedded/canvas', size: `${SIDE}x${SIDE}` },
      items: prompts.map((prompt, seed) => ({ body: { prompt, seed } })),
    }),
  });
  if (!response.ok) throw new Error(`batches: ${response.status} ${await response.text()}`);
  const { id } = (await response.json()) as { id: string };
  const events = await (await fetch(`${api}/batches/${id}/events`, { headers })).text();
  const last =
    events
      .split('\n\n')
      .filter((frame) => frame.includes('data: {'))
      .at(-1) ?? '';
  const { batch } = JSON.parse(last.slice(last.indexOf('{'))) as { batch: { counts: Record<string, number> } };
  if (batch.counts.succeeded !== IMAGES) throw new Error(`batch: ${JSON.stringify(batch.counts)}`);
  return IMAGES / ((performance.now() - startedAt) / 1_000);
}
