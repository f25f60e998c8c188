import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Resvg } from '@resvg/resvg-js';
import sharp from 'sharp';
import { photograph, type View } from './photo.ts';
import { type ReceiptLine, receiptLines } from './receipt-lines.ts';
import { seeded } from './seeded.ts';

export interface Receipt {
  name: string;
  type: 'image/png' | 'image/jpeg';
  bytes: Buffer;
  text: string;
}

interface Paper {
  font: string;
  items: number;
  /** Relative to the type size of a sheet 576 dots wide. */
  size?: number;
  /** Stretches letters. */
  narrow?: number;
  leading?: number;
  ink?: number;
  /** Prints whole dots, without gray levels; `matrix` leaves gaps between them. */
  dots?: 'thermal' | 'matrix';
  /** Share of the ink that is missing on the faintest side. */
  faded?: number;
}

/** A picture's size relative to the sheet, or its width in pixels. */
type Take = Omit<View, 'width' | 'height' | 'seed'> & { scale?: number; width?: number; aspect?: number };

const DEJAVU = ['DejaVuSansMono', 'DejaVuSansCondensed', 'DejaVuSansMono-Bold', 'DejaVuSerifCondensed', 'DejaVuSans'];
const PAPERS: Omit<Paper, 'font'>[] = [
  { items: 6 },
  { items: 9, dots: 'thermal', size: 0.9, narrow: 0.8, leading: 1.1 },
  { items: 5, dots: 'matrix', size: 1.1, ink: 60 },
  { items: 40, size: 0.9, narrow: 0.85 },
  { items: 12, ink: 130, dots: 'thermal' },
  { items: 8, size: 1.25, narrow: 0.65, leading: 1.05 },
  { items: 3, size: 0.75, faded: 0.6, dots: 'thermal' },
  { items: 70, leading: 1.15, size: 0.8 },
];
const TAKES: [string, Take][] = [
  ['scan', {}],
  ['small', { width: 300, jpegQuality: 85 }],
  [
    'photo on a table',
    {
      width: 3_000,
      aspect: 4 / 3,
      margin: 0.12,
      turn: 3,
      perspective: 0.06,
      table: 60,
      shadow: 60,
      blur: 1.2,
      noise: 6,
      jpegQuality: 80,
    },
  ],
  ['scan, skewed', { scale: 1.4, turn: -2.5, noise: 8, blur: 0.8, jpegQuality: 75 }],
  ['crumpled', { scale: 1.8, crumple: 5, shadow: 90, noise: 5, blur: 1, jpegQuality: 70, margin: 0.02, table: 120 }],
  ['noisy', { scale: 1, noise: 22, blur: 0.7, jpegQuality: 40 }],
  [
    'photo, far',
    {
      width: 1_500,
      aspect: 4 / 3,
      margin: 0.04,
      turn: -6,
      perspective: 0.04,
      table: 90,
      noise: 8,
      blur: 0.8,
      jpegQuality: 70,
    },
  ],
  ['fine scan', { scale: 2.4, turn: 0.7, noise: 6 }],
  ['narrow', { width: 420, jpegQuality: 60, blur: 0.5 }],
  ['in shadow', { scale: 1.3, shadow: 170, noise: 6, margin: 0.05, table: 200, jpegQuality: 75 }],
]; // prettier-ignore

const here = createRequire(import.meta.url);
const dejavu = (name: string) => here.resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`);

/** Prints receipts and photographs them; each is a different combination of paper, type, and view. */
export async function renderReceipts(count: number, seed = 1, fonts = DEJAVU.map(dejavu)): Promise<Receipt[]> {
  const receipts: Receipt[] = [];
  for (let index = 0; index < count; index += 1) {
    const [view, take] = TAKES[index % TAKES.length] as [string, Take];
    const print = PAPERS[(index * 3 + Math.floor(index / 10)) % PAPERS.length] as Omit<Paper, 'font'>;
    const font = fonts[(index * 7 + seed) % fonts.length] as string;
    const paper = { ...print, font };
    const lines = receiptLines(seeded(seed * 1_000 + index), paper.items);
    const sheet = await printSheet(lines, paper);
    const width = take.width ?? Math.round(sheet.width * (take.scale ?? 1));
    const height = Math.round(take.aspect ? width * take.aspect : (width * sheet.height) / sheet.width);
    const margin = take.margin ?? 0;
    const cut = take.aspect ? await padded(sheet, (width * (1 - 2 * margin)) / (height * (1 - 2 * margin))) : sheet;
    const bytes = await photograph(cut, { ...take, width, height, seed: index + 1 });
    receipts.push({
      name: `${index + 1} ${view}, ${paper.dots ?? 'plain'} ${font.replace(/^.*\//, '').replace(/\..*$/, '')}, ${paper.items} items`,
      type: take.jpegQuality ? 'image/jpeg' : 'image/png',
      bytes,
      text: sheet.text,
    });
  }
  return receipts;
}

const isRule = (text: string) => /^(.)\1{20}/.test(text);
const WIDTH = 576;
const TYPE_SIZE = 24;

interface Sheet {
  data: Uint8Array;
  width: number;
  height: number;
}

async function printSheet(lines: readonly ReceiptLine[], paper: Paper): Promise<Sheet & { text: string }> {
  const { font, size = 1, narrow = 1, leading = 1.25, ink = 20, dots, faded = 0 } = paper;
  const type = TYPE_SIZE * size;
  let y = type;
  const marks: string[] = [];
  const printed: string[] = [];
  const text = (words: string, x: number, anchor: string, large: number, bold: boolean) => {
    const face = `font-size="${type * large}"${bold ? ' font-weight="bold" stroke="#000" stroke-width="0.8"' : ''}`;
    marks.push(
      `<text xml:space="preserve" transform="translate(${x} ${y}) scale(${narrow} 1)" text-anchor="${anchor}" ${face}>${escaped(words)}</text>`,
    );
  };
  const margin = 24;
  const wide = Math.floor((WIDTH - 2 * margin) / (type * 0.61 * narrow));
  for (const line of lines) {
    const large = line.size ?? 1;
    y += type * leading * large;
    if (line.picture === 'barcode') {
      for (let x = 100, bar = 0; x < WIDTH - 100; x += 3 + ((bar * 7) % 5), bar += 1)
        marks.push(`<rect x="${x}" y="${y - type}" width="${1 + ((bar * 5) % 4)}" height="70"/>`);
      y += 70;
    } else if (line.picture === 'logo') {
      marks.push(
        `<circle cx="${WIDTH / 2}" cy="${y + 10}" r="36"/><path d="M${WIDTH / 2 - 90} ${y + 40} q90 -120 180 0" fill="none" stroke="#000" stroke-width="7"/>`,
      );
      y += 70;
    } else if (isRule(line.left)) text(line.left.slice(0, wide), margin, 'start', 1, false);
    else {
      const left = line.left.slice(
        0,
        Math.floor(wide / large) - (line.right === undefined ? 0 : line.right.length + 1),
      );
      printed.push(`${left} ${line.right ?? ''}`);
      if (line.centered) text(left, WIDTH / 2, 'middle', large, line.bold === true);
      else text(left, margin, 'start', large, line.bold === true);
      if (line.right) text(line.right, WIDTH - margin, 'end', large, line.bold === true);
    }
  }
  const height = Math.round(y + type * 2);
  readFileSync(font); // A missing font would give an empty page.
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}"><rect width="100%" height="100%" fill="#fff"/>${marks.join('')}</svg>`;
  const png = new Resvg(svg, { font: { loadSystemFonts: false, fontFiles: [font] } }).render().asPng();
  const { data } = await sharp(png).greyscale().raw().toBuffer({ resolveWithObject: true });
  for (let at = 0; at < data.length; at += 1) {
    const x = at % WIDTH;
    const row = Math.floor(at / WIDTH);
    let black = 1 - (data[at] as number) / 255;
    if (dots) black = black > 0.45 ? 1 : 0;
    if (dots === 'matrix' && (row % 3 === 2 || x % 3 === 2)) black *= 0.25;
    black *= 1 - faded * Math.abs(x / WIDTH - 0.4) * 1.6;
    data[at] = Math.round(248 - black * (248 - ink));
  }
  return { data, width: WIDTH, height, text: printed.join('\n') };
}

/** Adds paper, so that the sheet has these proportions. */
async function padded({ data, width, height }: Sheet, aspect: number): Promise<Sheet> {
  const [wide, high] =
    aspect > width / height ? [Math.round(height * aspect), height] : [width, Math.round(width / aspect)];
  const image = sharp(data, { raw: { width, height, channels: 1 } }).extend({
    left: Math.floor((wide - width) / 2),
    right: wide - width - Math.floor((wide - width) / 2),
    bottom: high - height,
    background: '#606060',
  });
  return { data: await image.toColourspace('b-w').raw().toBuffer(), width: wide, height: high };
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
