import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Resvg } from '@resvg/resvg-js';
import sharp, { type Sharp } from 'sharp';
import { seeded } from './seeded.ts';
import { TEXTS } from './texts.ts';

export interface BenchPage {
  name: string;
  set: 'rendered' | 'turned' | 'dark' | 'faint' | 'scanned' | 'dense';
  png: Buffer;
  text: string;
}

interface Style {
  text: keyof typeof TEXTS | 'all';
  font: string;
  size: number;
  width: number;
  ink?: string;
  paper?: string;
}

interface Distortion {
  turn?: number;
  /** Standard deviation in pixels. */
  blur?: number;
  /** Standard deviation in 8-bit steps. */
  noise?: number;
  /** One in this many pixels becomes black or white. */
  specks?: number;
  /** Darkening of one corner relative to the opposite one, in 8-bit steps. */
  shade?: number;
  jpegQuality?: number;
}

const PAGES: [BenchPage['set'], string, Style, Distortion][] = [
  ['rendered', 'sans 24', { text: 'alice', font: 'DejaVuSans', size: 24, width: 1_240 }, {}],
  ['rendered', 'serif 20', { text: 'whale', font: 'DejaVuSerif', size: 20, width: 1_240 }, {}],
  ['rendered', 'mono 18', { text: 'invoice', font: 'DejaVuSansMono', size: 18, width: 900 }, {}],
  ['rendered', 'italic 26', { text: 'gettysburg', font: 'DejaVuSerif-Italic', size: 26, width: 1_240 }, {}],
  ['rendered', 'condensed 13', { text: 'whale', font: 'DejaVuSansCondensed', size: 13, width: 640 }, {}],
  ['rendered', 'bold 56', { text: 'gettysburg', font: 'DejaVuSans-Bold', size: 56, width: 2_480 }, {}],
  ['turned', '90', { text: 'alice', font: 'DejaVuSerif', size: 22, width: 1_240 }, { turn: 90 }],
  ['turned', '180', { text: 'whale', font: 'DejaVuSans', size: 22, width: 1_240 }, { turn: 180 }],
  ['turned', '270', { text: 'invoice', font: 'DejaVuSans', size: 24, width: 1_000 }, { turn: 270 }],
  ['turned', '-7', { text: 'gettysburg', font: 'DejaVuSerif', size: 24, width: 1_240 }, { turn: -7 }],
  [
    'dark',
    'white on black',
    { text: 'alice', font: 'DejaVuSans', size: 22, width: 1_240, ink: '#eee', paper: '#161616' },
    {},
  ],
  [
    'dark',
    'yellow on blue',
    { text: 'invoice', font: 'DejaVuSans', size: 24, width: 1_000, ink: '#ffd866', paper: '#123a6b' },
    {},
  ],
  [
    'faint',
    'grey on grey',
    { text: 'gettysburg', font: 'DejaVuSans', size: 22, width: 1_240, ink: '#7a7a7a', paper: '#a8a8a8' },
    {},
  ],
  [
    'faint',
    'pale',
    { text: 'whale', font: 'DejaVuSerif', size: 22, width: 1_240, ink: '#c4c4c4', paper: '#fdfdfd' },
    {},
  ],
  [
    'scanned',
    'skewed 2',
    { text: 'alice', font: 'DejaVuSerif', size: 30, width: 1_654 },
    { turn: 2, blur: 1.1, noise: 14 },
  ],
  [
    'scanned',
    'skewed -4, shaded',
    { text: 'whale', font: 'DejaVuSerif', size: 28, width: 1_654 },
    { turn: -4, blur: 1, noise: 10, shade: 90, jpegQuality: 60 },
  ],
  [
    'scanned',
    'specks',
    { text: 'gettysburg', font: 'DejaVuSans', size: 28, width: 1_654 },
    { turn: 1, blur: 0.8, noise: 8, specks: 300 },
  ],
  [
    'scanned',
    'coarse',
    { text: 'alice', font: 'DejaVuSans', size: 18, width: 1_000 },
    { turn: -1.5, blur: 0.8, noise: 16, jpegQuality: 50 },
  ],
  [
    'scanned',
    'upside down',
    { text: 'invoice', font: 'DejaVuSans', size: 30, width: 1_400 },
    { turn: 183, blur: 1.2, noise: 12, shade: 50 },
  ],
  ['dense', 'rendered', { text: 'all', font: 'DejaVuSerif', size: 24, width: 1_654 }, {}],
  ['dense', 'scanned', { text: 'all', font: 'DejaVuSans', size: 36, width: 2_480 }, { turn: 1, blur: 1, noise: 10 }],
];

/** Fills a page of small print. */
const ALL = [TEXTS.alice, TEXTS.gettysburg, TEXTS.whale].join('\n\n');
const textOf = ({ text }: Style) => (text === 'all' ? ALL : TEXTS[text]);

const fonts = createRequire(import.meta.url);

export async function renderPages(): Promise<BenchPage[]> {
  const pages: BenchPage[] = [];
  for (const [set, name, style, wear] of PAGES) {
    pages.push({
      set,
      name: `${set}: ${name}`,
      text: textOf(style),
      png: await distort(renderPage(style), wear, style),
    });
  }
  return pages;
}

function renderPage(style: Style): Buffer {
  const { font, size, width, ink = '#000', paper = '#fff' } = style;
  const margin = size * 3;
  const perLine = Math.floor(
    (width - 2 * margin) / (size * (font.includes('Mono') ? 0.61 : font.includes('Bold') ? 0.68 : 0.6)),
  );
  const lines = textOf(style)
    .split('\n')
    .flatMap((paragraph) => brokenInto(paragraph, perLine));
  const leading = size * 1.4;
  const height = Math.max(Math.round(lines.length * leading + 2 * margin), Math.round(width * 0.6));
  const rows = lines.map((line, index) => {
    const y = margin + size + index * leading;
    return `<text xml:space="preserve" x="${margin}" y="${y}">${escaped(line)}</text>`;
  });
  const file = fonts.resolve(`dejavu-fonts-ttf/ttf/${font}.ttf`);
  readFileSync(file); // A missing font would give an empty page.
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="${paper}"/><g font-size="${size}" fill="${ink}">${rows.join('')}</g></svg>`;
  return new Resvg(svg, { font: { loadSystemFonts: false, fontFiles: [file] } }).render().asPng();
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

function brokenInto(paragraph: string, perLine: number): string[] {
  if (paragraph.length <= perLine) return [paragraph];
  const lines: string[] = [];
  let line = '';
  for (const word of paragraph.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > perLine) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** Makes the page look scanned or photographed. */
async function distort(png: Buffer, wear: Distortion, { paper = '#fff' }: Style): Promise<Buffer> {
  let image = sharp(png).flatten({ background: paper });
  if (wear.turn) image = image.rotate(wear.turn, { background: paper });
  if (wear.blur) image = sharp(await image.png().toBuffer()).blur(wear.blur);
  if (wear.noise || wear.specks || wear.shade) image = await grainy(image, wear);
  if (wear.jpegQuality) image = sharp(await image.jpeg({ quality: wear.jpegQuality }).toBuffer());
  return image.png().toBuffer();
}

async function grainy(image: Sharp, { noise = 0, specks = 0, shade = 0 }: Distortion): Promise<Sharp> {
  const { data, info } = await image.greyscale().raw().toBuffer({ resolveWithObject: true });
  const random = seeded(7);
  for (let at = 0; at < data.length; at += 1) {
    const x = at % info.width;
    const y = Math.floor(at / info.width);
    const grain = noise * (random() + random() + random() + random() - 2) * Math.sqrt(3);
    const dark = (shade * (x / info.width + y / info.height)) / 2;
    let value = (data[at] as number) + grain - dark;
    if (specks > 0 && random() * specks < 1) value = random() < 0.5 ? 0 : 255;
    data[at] = Math.max(0, Math.min(255, Math.round(value)));
  }
  return sharp(data, { raw: { width: info.width, height: info.height, channels: 1 } });
}
