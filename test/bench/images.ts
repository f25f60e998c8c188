import { availableParallelism } from 'node:os';
import { renderPicture } from '../../packages/providers/src/embedded/canvas/render-picture.ts';
import { heading, median, report } from './figures.ts';
import type { BenchPlatform } from './platform.ts';

const IMAGES = 60;
const ROUNDS = 3;
const SIDE = 1024;
const LOOK = { negativePrompt: '', width: SIDE, height: SIDE, palette: [] };

const SUBJECTS = ['a red fox', 'two sailing boats', 'a lighthouse', 'an old tree', 'a castle', 'three balloons'];
const PLACES = ['by the sea at dusk', 'in the mountains', 'under a starry sky', 'in a meadow', 'in the rain'];

const prompts = Array.from(
  { length: IMAGES },
  (_, index) => `${SUBJECTS[index % SUBJECTS.length]} ${PLACES[index % PLACES.length]}`,
);

/**
 * What the platform costs over its work: a batch of images, each drawn, signed, hashed, stored and remembered, from its sending to its end,
 * beside the renderer called bare in a loop for the same prompts and seeds, in turn.
 */
export async function images(platform: BenchPlatform): Promise<void> {
  heading(
    `A batch of ${IMAGES} embedded images of ${SIDE}², beside the renderer called bare in a loop (${ROUNDS} rounds)`,
  );
  const bare = async () => {
    const began = performance.now();
    for (const [seed, prompt] of prompts.entries()) await renderPicture({ prompt, seed, ...LOOK });
    return IMAGES / ((performance.now() - began) / 1_000);
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
    'ratio (median of the pairs)',
    median(batches.map((rate, round) => rate / (bares[round] as number))).toFixed(2),
  );
}

/** Images per second. */
async function inBatch({ api, headers }: BenchPlatform): Promise<number> {
  const began = performance.now();
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
  return IMAGES / ((performance.now() - began) / 1_000);
}
