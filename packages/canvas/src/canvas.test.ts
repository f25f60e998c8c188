import sharp from 'sharp';
import { expect, test } from 'vitest';
import { drawImage, type ImageRequest } from './canvas.ts';
import { RenderPool } from './render-pool.ts';

const { signal } = new AbortController();
const draw = (more: Partial<ImageRequest> = {}, own = signal) =>
  drawImage({ prompt: 'a red boat on a lake, mountains', seed: 1, size: { width: 128, height: 96 }, ...more }, own);

const plain = (color: string) =>
  sharp({ create: { width: 60, height: 60, channels: 3, background: color } })
    .png()
    .toBuffer();

/** Mean red, green and blue of the picture, without the strip below it. */
async function meanOf(bytes: Uint8Array): Promise<[number, number, number]> {
  const { channels } = await sharp(bytes).extract({ left: 0, top: 0, width: 128, height: 80 }).stats();
  return channels.slice(0, 3).map(({ mean }) => mean) as [number, number, number];
}

test('the same prompt, seed, and size give the same bytes, and any others do not', async () => {
  const [one, same, seeded, worded, sized] = await Promise.all([
    draw(),
    draw(),
    draw({ seed: 2 }),
    draw({ prompt: 'a red boat on a lake' }),
    draw({ size: { width: 96, height: 128 } }),
  ]);
  expect(Buffer.from(one).equals(same)).toBe(true);
  for (const other of [seeded, worded, sized]) expect(Buffer.from(one).equals(other)).toBe(false);
  expect(await sharp(one).metadata()).toMatchObject({ format: 'png', width: 128, height: 96 });
  expect(await sharp(sized).metadata()).toMatchObject({ width: 96, height: 128 });
  // More than one color or gradient.
  const { entropy } = await sharp(one).stats();
  expect(entropy).toBeGreaterThan(4);
});

test('pictures differ without a seed', async () => {
  const call = { prompt: 'a cat', size: { width: 64, height: 64 } };
  const made = await Promise.all([1, 2, 3].map(() => drawImage(call, signal)));
  expect(new Set(made.map((bytes) => Buffer.from(bytes).toString('base64'))).size).toBe(3);
});

test('takes colors from reference images', async () => {
  const colored = (color: string) =>
    plain(color).then((bytes) => draw({ references: [{ bytes }], prompt: 'hills, day' }));
  const [red, blue] = await Promise.all([colored('#c02020'), colored('#2030c0')]);
  const [warm, cold] = await Promise.all([meanOf(red), meanOf(blue)]);
  expect(warm[0] - warm[2]).toBeGreaterThan(40);
  expect(cold[2] - cold[0]).toBeGreaterThan(40);
  const broken = draw({ references: [{ bytes: Buffer.from('no picture') }] });
  await expect(broken).rejects.toMatchObject({ code: 'invalid_request', message: expect.stringContaining('decoded') });
});

test('draws pixel art in large pixels', async () => {
  const bytes = await draw({
    prompt: 'a house, pixel art',
    size: { width: 432, height: 432 },
    negativePrompt: 'text',
  });
  const { data } = await sharp(bytes)
    .removeAlpha()
    .extract({ left: 0, top: 0, width: 432, height: 8 })
    .raw()
    .toBuffer({ resolveWithObject: true });
  for (let x = 0; x < 432; x += 4)
    expect(data.subarray(x * 3, x * 3 + 3).equals(data.subarray((x + 3) * 3, (x + 3) * 3 + 3))).toBe(true);
});

test.each([
  [63, 64],
  [64, 4_097],
])('refuses %i x %i', async (width, height) => {
  await expect(draw({ size: { width, height } })).rejects.toMatchObject({ code: 'invalid_request' });
});

test('draws the largest picture without blocking', async () => {
  const before = performance.eventLoopUtilization();
  const bytes = await draw({ size: { width: 4_096, height: 4_096 }, prompt: 'a castle' });
  const { active, idle } = performance.eventLoopUtilization(before);
  expect(await sharp(bytes).metadata()).toMatchObject({ width: 4_096, height: 4_096 });
  // Drawing takes a second or more, during which the event loop is idle.
  expect(active).toBeLessThan(idle);
});

test('aborts running and waiting drawings immediately', async () => {
  const controller = new AbortController();
  const reason = new Error('cancelled');
  const many = Array.from({ length: 8 }, () => draw({ size: { width: 1_024, height: 1_024 } }, controller.signal));
  for (const one of many) one.catch(() => {});
  setImmediate(() => controller.abort(reason));
  const started = performance.now();
  expect(await Promise.allSettled(many)).toEqual(many.map(() => ({ status: 'rejected', reason })));
  expect(performance.now() - started).toBeLessThan(10_000);
  expect((await draw()).length).toBeGreaterThan(0);
});

const pool = (program: string, most: number) =>
  new RenderPool(new URL(`data:text/javascript,${encodeURIComponent(program)}`), most);

test('a dying thread fails only its own job', async () => {
  const dying = pool(
    "import { parentPort } from 'node:worker_threads'; parentPort.on('message', ({ request }) => { if (request.images.length > 0) process.exit(3); parentPort.postMessage({ result: ['fine'] }); });",
    2,
  );
  const image = { bytes: new Uint8Array(1) };
  const jobs = [[image], [], [], [image], []].map((images) => dying.run('palette', { images }, 1, signal));
  const ends = await Promise.allSettled(jobs);
  expect(ends.map((end) => (end.status === 'fulfilled' ? end.value : (end.reason as { code: string }).code))).toEqual([
    'render_failed',
    ['fine'],
    ['fine'],
    'render_failed',
    ['fine'],
  ]);
  dying.close();
});

test('limits concurrent drawings, and draws large ones separately', async () => {
  const counting = pool(
    "import { parentPort, threadId } from 'node:worker_threads'; parentPort.on('message', () => { const at = Date.now(); setTimeout(() => parentPort.postMessage({ result: [String(at), String(Date.now()), String(threadId)] }), 60); });",
    3,
  );
  const run = (pixels: number) => counting.run('palette', { images: [] }, pixels, signal);
  const spans = (
    await Promise.all([...Array.from({ length: 7 }, () => run(1_000)), run(20_000_000), run(20_000_000)])
  ).map(([from, to, id]) => ({ from: Number(from), to: Number(to), id }));
  expect(new Set(spans.map(({ id }) => id)).size).toBeLessThanOrEqual(3);
  const [first, second] = spans.slice(-2);
  expect(second!.from).toBeGreaterThanOrEqual(first!.to - 2);
  counting.close();
});
