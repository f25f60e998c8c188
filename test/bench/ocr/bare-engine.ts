import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import sharp from 'sharp';
import { createWorker, OEM } from 'tesseract.js';

const ENGLISH = dirname(createRequire(import.meta.url).resolve('@tesseract.js-data/eng'));

export interface BareEngine {
  read(file: Buffer): Promise<string>;
  close(): Promise<unknown>;
}

/** Opens the engine with the image preparation of a one-page script, as a baseline. */
export async function bareEngine(): Promise<BareEngine> {
  const worker = await createWorker('eng', OEM.LSTM_ONLY, {
    langPath: `${ENGLISH}/4.0.0_best_int`,
    cacheMethod: 'none',
    gzip: true,
  });
  await worker.setParameters({ tessedit_pageseg_mode: '3' as never });
  return {
    async read(file) {
      const { data } = await worker.recognize(await prepare(file));
      return data.text;
    },
    close: () => worker.terminate(),
  };
}

/** Flattens the image, makes it gray, enlarges narrow pages, inverts dark ones, and levels skewed ones. */
export async function prepare(file: Buffer): Promise<Buffer> {
  let image = sharp(file).autoOrient().flatten({ background: '#fff' }).greyscale();
  const { width } = await sharp(file).metadata();
  const enlarged = width < 700 ? 3 : width < 1_200 ? 2 : 1;
  if (enlarged > 1) image = image.resize({ width: width * enlarged, kernel: 'cubic' });
  const { channels } = await sharp(await image.clone().png().toBuffer()).stats();
  if ((channels[0]?.mean ?? 255) < 100) image = image.negate();
  const level = await image.normalise().png().toBuffer();
  const slope = await slopeOf(level);
  return slope === 0 ? level : sharp(level).rotate(-slope, { background: '#fff' }).png().toBuffer();
}

/** Finds the slope of the lines, to ±12°, by the unevenness of the rows' darkness. */
async function slopeOf(png: Buffer): Promise<number> {
  const { data, info } = await sharp(png)
    .resize({ width: 600, height: 800, fit: 'inside' })
    .threshold(128)
    .raw()
    .toBuffer({ resolveWithObject: true });
  let best = { slope: 0, unevenness: -1 };
  for (let slope = -12; slope <= 12; slope += 0.5) {
    const tangent = Math.tan((slope * Math.PI) / 180);
    const rows = new Float64Array(info.height * 2);
    for (let y = 0; y < info.height; y += 1)
      for (let x = 0; x < info.width; x += 1)
        if (data[(y * info.width + x) * info.channels] === 0)
          rows[Math.round(y - x * tangent + info.height / 2)] =
            (rows[Math.round(y - x * tangent + info.height / 2)] ?? 0) + 1;
    let unevenness = 0;
    for (let y = 1; y < rows.length; y += 1) unevenness += ((rows[y] as number) - (rows[y - 1] as number)) ** 2;
    if (unevenness > best.unevenness) best = { slope, unevenness };
  }
  return best.slope;
}
