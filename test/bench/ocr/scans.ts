import { createRequire } from 'node:module';
import { assemblePdf } from '@chorus/testing';
import { Resvg } from '@resvg/resvg-js';
import sharp from 'sharp';
import { TEXTS } from './texts.ts';

export type ScanMode = 'gray' | 'color' | 'fax';

export interface ScanOptions {
  pages: number;
  dpi: number;
  mode: ScanMode;
  /** Standard deviation in 8-bit steps. */
  noise?: number;
}

/** A4 in inches. */
const [WIDTH, HEIGHT] = [8.268, 11.693];
/** Pages with equal images, so that long files are made quickly. */
const DIFFERENT = 3;

const FONT = createRequire(import.meta.url).resolve('dejavu-fonts-ttf/ttf/DejaVuSerif.ttf');
const WORDS = Object.values(TEXTS).join(' ').split(/\s+/);

/** Returns words that the page shows, one line each. */
export function linesOf(page: number): string[] {
  const lines = [`Page mark ${(page % DIFFERENT) + 1}`];
  for (let at = (page % DIFFERENT) * 211; lines.length < 44; at += 11)
    lines.push(Array.from({ length: 11 }, (_, index) => WORDS[(at + index) % WORDS.length]).join(' '));
  return lines;
}

/** Writes an A4 document as scanners do: each page is one image. */
export async function scannedPdf(options: ScanOptions): Promise<Buffer> {
  const different: { image: Buffer; width: number; height: number }[] = [];
  for (let page = 0; page < Math.min(options.pages, DIFFERENT); page += 1) different.push(await scan(page, options));
  const objects: Buffer[] = [];
  const add = (body: string | Buffer) => objects.push(Buffer.from(body));
  add('<< /Type /Catalog /Pages 2 0 R >>');
  add('');
  const kids: number[] = [];
  for (let page = 0; page < options.pages; page += 1) {
    const { image, width, height } = different[page % DIFFERENT] as (typeof different)[number];
    const picture = add(
      Buffer.concat([
        Buffer.from(`<< ${imageFacts(options.mode, width, height)} /Length ${image.length} >>\nstream\n`),
        image,
        Buffer.from('\nendstream'),
      ]),
    );
    const draw = 'q 595.3 0 0 841.9 0 0 cm /I Do Q';
    const content = add(`<< /Length ${draw.length} >>\nstream\n${draw}\nendstream`);
    kids.push(
      add(
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595.3 841.9] /Resources << /XObject << /I ${picture} 0 R >> >> /Contents ${content} 0 R >>`,
      ),
    );
  }
  objects[1] = Buffer.from(
    `<< /Type /Pages /Count ${kids.length} /Kids [${kids.map((kid) => `${kid} 0 R`).join(' ')}] >>`,
  );
  return assemblePdf(objects);
}

function imageFacts(mode: ScanMode, width: number, height: number): string {
  const facts = `/Type /XObject /Subtype /Image /Width ${width} /Height ${height}`;
  return mode === 'fax'
    ? `${facts} /ColorSpace /DeviceGray /BitsPerComponent 1 /Filter /CCITTFaxDecode /DecodeParms << /K -1 /Columns ${width} /Rows ${height} >>`
    : `${facts} /ColorSpace ${mode === 'gray' ? '/DeviceGray' : '/DeviceRGB'} /BitsPerComponent 8 /Filter /DCTDecode`;
}

export async function scan(
  page: number,
  { dpi, mode, noise = 8 }: ScanOptions,
): Promise<{ image: Buffer; width: number; height: number }> {
  const [width, height] = [Math.round(WIDTH * dpi), Math.round(HEIGHT * dpi)];
  const size = dpi / 6.5;
  const rows = linesOf(page).map(
    (line, index) =>
      `<text x="${dpi * 0.8}" y="${dpi * 0.9 + index * size * 1.5}">${line.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</text>`,
  );
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="#fdfcf8"/><g font-size="${size}" fill="#111">${rows.join('')}</g></svg>`;
  const clean = new Resvg(svg, { font: { loadSystemFonts: false, fontFiles: [FONT] } }).render().asPng();
  const grain = await sharp({
    create: { width, height, channels: 3, background: '#000', noise: { type: 'gaussian', mean: 128, sigma: noise } },
  })
    .png()
    .toBuffer();
  // "hard-light" with gray around 128 leaves the page as it is, except for the noise.
  const worn = sharp(
    await sharp(clean)
      .blur(0.8)
      .composite([{ input: grain, blend: 'hard-light' }])
      .removeAlpha()
      .png()
      .toBuffer(),
  );
  if (mode !== 'fax') {
    const gray = mode === 'gray' ? worn.greyscale().toColourspace('b-w') : worn;
    return { image: await gray.jpeg({ quality: 80 }).toBuffer(), width, height };
  }
  const tiff = await worn
    .greyscale()
    .threshold(150)
    .toColourspace('b-w')
    .tiff({
      compression: 'ccittfax4',
      bitdepth: 1,
      tile: true,
      tileWidth: sixteens(width),
      tileHeight: sixteens(height),
    })
    .toBuffer();
  return { image: tileOf(tiff), width: sixteens(width), height: sixteens(height) };
}

const sixteens = (size: number) => Math.ceil(size / 16) * 16;

/** Returns the only tile of a little-endian TIFF. */
function tileOf(tiff: Buffer): Buffer {
  const at = tiff.readUInt32LE(4);
  const entries = new Map<number, { count: number; value: number; type: number }>();
  for (let entry = 0; entry < tiff.readUInt16LE(at); entry += 1) {
    const place = at + 2 + entry * 12;
    entries.set(tiff.readUInt16LE(place), {
      type: tiff.readUInt16LE(place + 2),
      count: tiff.readUInt32LE(place + 4),
      value: tiff.readUInt32LE(place + 8),
    });
  }
  const { count = 0, value: offset = 0 } = entries.get(324) ?? {};
  if (count !== 1) throw new Error(`the TIFF has ${count} tiles`);
  const size = entries.get(325)?.value ?? 0;
  return tiff.subarray(offset, offset + size);
}
