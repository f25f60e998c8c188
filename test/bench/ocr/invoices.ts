import type { PdfMark, PdfPage } from '@chorus/testing';
import { seeded } from './seeded.ts';
import { TEXTS } from './texts.ts';

export interface Invoice {
  page: PdfPage;
  /** Labels with their values, which belong on one line. */
  pairs: [label: string, value: string][];
  /** Lines that follow each other: addresses, and text in columns. */
  runs: string[][];
}

const PEOPLE = ['Ada Lovelace', 'Grace Hopper', 'Mary Somerville', 'Harper and Sons', 'Tilda Marsh', 'Jon Okafor'];
const STREETS = ['12 St James Square', '48 Mill Lane', '9 Rue Cler', '4801 Lincoln Avenue', 'Lot 7, Harbour Road'];
const TOWNS = ['London SW1Y 4JH', 'Bristol BS1 6QA', '75007 Paris', 'Portland OR 97201', '20457 Hamburg'];
const LANDS = ['United Kingdom', 'France', 'Germany', 'United States'];
const FACTS = ['Invoice number', 'Invoice date', 'Customer no', 'Due date', 'Order', 'Your reference', 'Contact'];
const SUMS = ['Subtotal', 'Shipping', 'Discount', 'VAT 20%', 'Total due'];
const GOODS = ['Paper, A4, 80 g', 'Toner cartridge, black', 'Desk lamp, 9 W', 'Delivery by courier', 'Consulting, May'];

/** Lays out invoices with different combinations of blocks, gaps, type sizes, and column offsets. */
export function layOutInvoices(count: number, seed = 1): Invoice[] {
  return Array.from({ length: count }, (_, index) => layOut(index, seeded(seed * 1_000 + index)));
}

function layOut(index: number, random: () => number): Invoice {
  const marks: PdfMark[] = [];
  const pairs: Invoice['pairs'] = [];
  const runs: string[][] = [];
  const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)] as T;
  const between = (least: number, most: number) => least + random() * (most - least);
  const put = (text: string, x: number, y: number, size: number, font: 'regular' | 'bold' = 'regular') =>
    marks.push({ text, x, y, size, font });
  const putEnd = (text: string, right: number, y: number, size: number, font: 'regular' | 'bold' = 'regular') =>
    put(text, right - widthOf(text) * size, y, size, font);
  const amount = () => `${Math.floor(between(1, 99))},${Math.floor(between(100, 999))}.${Math.floor(between(10, 99))}`;
  const factOf = (label: string) => {
    if (label.includes('date')) return `${Math.floor(between(1, 28))} May 20${Math.floor(between(20, 29))}`;
    if (label === 'Contact') return pick(PEOPLE);
    return `${pick(['RE', 'AB', 'K'])}-${Math.floor(between(2010, 2030))}-${Math.floor(between(1000, 9999))}`;
  };
  const address = (x: number, y: number, size: number, pitch: number) => {
    const lines = [pick(PEOPLE), pick(STREETS), pick(TOWNS), pick(LANDS)].slice(0, random() < 0.3 ? 3 : 4);
    for (const [at, line] of lines.entries()) put(line, x, y + at * pitch, size);
    runs.push(lines);
  };
  const facts = (labels: readonly string[], x: number, y: number, gap: number, pitch: number) => {
    const offset = pick([0, 0, 1.5, 2.5, 3.5]);
    const small = pick([8, 9, 10]);
    const atEnd = random() < 0.4;
    const colon = random() < 0.5 ? ':' : '';
    for (const [at, label] of labels.entries()) {
      const value = factOf(label);
      put(`${label}${colon}`, x, y + at * pitch, small);
      if (atEnd) putEnd(value, x + gap + 95, y + at * pitch + offset, 10);
      else put(value, x + gap, y + at * pitch + offset, 10);
      pairs.push([label, value]);
    }
  };

  put(pick(['Mill and Sons', 'Northwind Ltd', 'Atelier Blum']), 60, 60, 18, 'bold');
  let y = 105;
  const pitch = between(12, 15);
  if (index % 3 === 0) {
    // An address next to labels and values with another line spacing.
    address(60, y, 10, pitch);
    facts(FACTS.slice(0, 4 + Math.floor(random() * 3)), 340, y + between(-4, 8), 95, between(13, 18));
  } else if (index % 3 === 1) {
    // Two addresses, then two lists of labels and values, side by side.
    address(60, y, 10, pitch);
    address(330, y + pick([0, 0, 3, 6]), 10, pick([pitch, pitch + 1.5]));
    y += 85;
    facts(FACTS.slice(0, 3), 60, y, 90, 16);
    facts(FACTS.slice(3, 6), 330, y + between(-3, 6), 90, pick([16, 18]));
  } else {
    address(60, y, 9, 12);
    address(60, y + 75, 10, pitch);
    facts(FACTS.slice(0, 5), 330, y + between(0, 60), 105, between(14, 19));
    y += 40;
  }
  y += 115;
  put('Dear customer, thank you for your order. We charge the following items as agreed:', 60, y, 10);
  y += 28;
  for (const [text, x] of [
    ['Item', 60],
    ['Quantity', 300],
  ] as const)
    put(text, x, y, 9, 'bold');
  putEnd('Price', 450, y, 9, 'bold');
  putEnd('Amount', 535, y, 9, 'bold');
  for (const item of GOODS.slice(0, 2 + Math.floor(random() * 3))) {
    y += 17;
    put(item, 60, y, 10);
    put(String(Math.floor(between(1, 40))), 310, y, 10);
    putEnd(amount(), 450, y, 10);
    const sum = amount();
    putEnd(sum, 535, y, 10);
    pairs.push([item, sum]);
  }
  y += 30;
  const left = pick([60, 330, 380]);
  const shift = pick([0, 0, 1, 2, 3]);
  for (const label of SUMS.slice(random() < 0.5 ? 0 : 2)) {
    const value = random() < 0.5 ? `${amount()} EUR` : amount();
    const isTotal = label === 'Total due';
    put(label, left, y, isTotal ? 12 : 10, isTotal ? 'bold' : 'regular');
    putEnd(value, 535, y + shift, isTotal ? 12 : 10, isTotal ? 'bold' : 'regular');
    pairs.push([label, value]);
    y += 18;
  }
  if (random() < 0.5) {
    y += 25;
    const [one, other] = columnsOf(pick([TEXTS.alice, TEXTS.whale]), 44, 12);
    for (const [at, line] of one.entries()) put(line, 60, y + at * 12, 9);
    const [drop, leading] = [pick([0, 0, 4]), pick([12, 12.6])];
    for (const [at, line] of other.entries()) put(line, 310, y + drop + at * leading, 9);
    runs.push([...one, ...other]);
  }
  return { page: { marks }, pairs, runs };
}

function columnsOf(text: string, width: number, rows: number): [string[], string[]] {
  const lines: string[] = [''];
  for (const word of text.split(/\s+/)) {
    const line = `${lines.at(-1)} ${word}`.trim();
    if (line.length <= width) lines[lines.length - 1] = line;
    else lines.push(word);
  }
  return [lines.slice(0, rows), lines.slice(rows, 2 * rows - 3)];
}

/** Width in Helvetica, relative to the type size. */
const widthOf = (text: string) =>
  [...text].reduce((sum, sign) => sum + (/[.,\s:]/.test(sign) ? 0.278 : /[A-Z]/.test(sign) ? 0.68 : 0.556), 0);

/** Returns the share of labels whose value follows on the same line, even with others in between. */
export function pairsTogether(read: string, pairs: Invoice['pairs']): number {
  const lines = read.split('\n').map(lettersOf);
  const together = pairs.filter(([label, value]) =>
    lines.some(
      (line) => line.includes(lettersOf(label)) && line.indexOf(lettersOf(value)) > line.indexOf(lettersOf(label)),
    ),
  );
  return together.length / pairs.length;
}

/** Returns the share of lines that are directly followed by their next line. */
export function runsTogether(read: string, runs: Invoice['runs']): number {
  const all = lettersOf(read);
  const steps = runs.flatMap((run) => run.slice(1).map((line, at) => lettersOf(run[at] as string) + lettersOf(line)));
  return steps.filter((step) => all.includes(step)).length / steps.length;
}

/** Lines may have been joined and hyphens removed. */
const lettersOf = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
