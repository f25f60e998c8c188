import type { Package } from '../package/open-package.ts';
import { readXml } from '../package/read-xml.ts';

export type NumberKind = 'number' | 'percent' | 'date' | 'time';

const DAY_MS = 86_400_000;
/** Excel's day 0. It treats 1900 as a leap year. */
const DAY_0 = Date.UTC(1899, 11, 30);
const DAY_0_FROM_1904 = Date.UTC(1904, 0, 1);
const LAST_DAY = 2_958_465; // the end of the year 9999

export interface CellStyles {
  show(value: string, style: number): string;
}

export async function readCellStyles(
  packed: Package,
  part: string | undefined,
  isFrom1904: boolean,
): Promise<CellStyles> {
  const codes = new Map<number, string>();
  const kinds: NumberKind[] = [];
  let isCells = false;
  if (part !== undefined)
    await readXml(packed, part, {
      open(name, attribute) {
        if (name === 'numFmt') codes.set(Number(attribute('numFmtId')), attribute('formatCode') ?? '');
        else if (name === 'cellXfs') isCells = true;
        else if (name === 'xf' && isCells) {
          const id = Number(attribute('numFmtId'));
          kinds.push(kindOf(id, codes.get(id)));
        }
      },
      close(name) {
        if (name === 'cellXfs') isCells = false;
      },
    });
  return { show: (value, style) => shown(value, kinds[style] ?? 'number', isFrom1904) };
}

function kindOf(id: number, code: string | undefined): NumberKind {
  if (code === undefined) {
    if (id === 9 || id === 10) return 'percent';
    if ((id >= 18 && id <= 21) || (id >= 45 && id <= 47)) return 'time';
    return (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 50 && id <= 58) ? 'date' : 'number';
  }
  const signs = code.replace(/"[^"]*"|\\.|\[(?!h|m|s)[^\]]*\]|_.|\*./gi, '').split(';')[0] ?? '';
  if (/[dy]/i.test(signs)) return 'date';
  if (/[hs]/i.test(signs)) return 'time';
  return signs.includes('%') ? 'percent' : 'number';
}

function shown(value: string, kind: NumberKind, isFrom1904: boolean): string {
  const number = Number(value);
  if (value.trim() === '' || !Number.isFinite(number)) return value;
  if (kind === 'percent') return `${rounded(number * 100)}%`;
  if (kind === 'number' || number < 0 || number > LAST_DAY) return rounded(number);
  // Fractions of a day are precise to about a second.
  const time = new Date((isFrom1904 ? DAY_0_FROM_1904 : DAY_0) + Math.round((number * DAY_MS) / 1_000) * 1_000);
  const [day = '', clock = ''] = time.toISOString().slice(0, 19).split('T');
  // More than 24 hours is a duration.
  if (kind === 'time')
    return `${Math.floor(number) * 24 + Number(clock.slice(0, 2))}`.padStart(2, '0') + clock.slice(2);
  return clock === '00:00:00' ? day : `${day} ${clock}`;
}

/** Drops digits beyond the 15 that a double represents exactly. */
const rounded = (number: number) => String(Number(number.toPrecision(15)));
