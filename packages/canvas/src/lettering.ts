import { lighten, mix } from './color.ts';
import type { Placed } from './relate.ts';
import type { Setting } from './setting.ts';
import type { Stage } from './stage.ts';
import { each, faint, line, rect, svg } from './svg.ts';

const SANS = 'DejaVu Sans';
const SERIF = 'DejaVu Serif';

/** Letter width as a share of the font size, measured over English text with a margin. */
const BOLD_WIDTH = 0.72;
const SERIF_WIDTH = 0.6;

/**
 * Scripts in the fonts: Latin, Greek, Cyrillic, Armenian, Hebrew, Arabic, Georgian, and symbols.
 * Others would show as boxes.
 */
const DRAWABLE =
  /[^\u0020-\u007e\u00a0-\u052f\u0531-\u058f\u05d0-\u05ea\u0621-\u064a\u0660-\u0669\u10a0-\u10ff\u1e00-\u1fff\u2010-\u2027\u2030-\u205e\u2070-\u209f\u20a0-\u20b5\u2100-\u214f\u2190-\u21ff\u2200-\u22ff]/gu;

/** Removes characters that cannot be drawn: controls, direction marks and missing glyphs. */
export function drawableText(text: string): string {
  return text.toWellFormed().normalize('NFC').replace(/\s+/gu, ' ').replace(DRAWABLE, '').replace(/\s+/gu, ' ').trim();
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

export function wrapped(text: string, letters: number, lines: number): string[] {
  const made: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    for (let rest = word; rest !== ''; ) {
      const joined = line === '' ? rest : `${line} ${rest}`;
      if (joined.length <= letters) {
        line = joined;
        rest = '';
      } else if (line !== '') {
        made.push(line);
        line = '';
      } else {
        made.push(rest.slice(0, letters));
        rest = rest.slice(letters);
      }
      if (made.length > lines) break;
    }
    if (made.length > lines) break;
  }
  if (line !== '') made.push(line);
  if (made.length <= lines) return made;
  const kept = made.slice(0, lines);
  kept[lines - 1] = `${(kept[lines - 1] ?? '').slice(0, Math.max(1, letters - 1)).trimEnd()}…`;
  return kept;
}

function letters(x: number, y: number, size: number, text: string, fill: string, more = ''): string {
  return svg`<text x="${x}" y="${y}" font-size="${size}" fill="${fill}" ${more}>${escaped(text)}</text>`;
}

function fitted(text: string, x: number, y: number, width: number, height: number, fill: string, more: string): string {
  const options = [1, 2, 3].map((rows) => {
    const lines = wrapped(text, Math.max(4, Math.ceil(text.length / rows) + (rows > 1 ? 3 : 0)), rows);
    const longest = Math.max(...lines.map((one) => one.length));
    return { lines, size: Math.min(width / (longest * BOLD_WIDTH), height / (lines.length * 1.2)) };
  });
  const { lines, size } = options.reduce((best, one) => (one.size > best.size ? one : best));
  const top = y - ((lines.length - 1) * size * 1.15) / 2 + size * 0.36;
  return each(lines, (one, index) =>
    letters(x, top + index * size * 1.15, size, one, fill, `text-anchor="middle" ${more}`),
  );
}

const BOLD = `font-family="${SANS}" font-weight="700"`;

export function onSign({ x, y, tall }: Placed, text: string, stage: Stage): string {
  const scale = tall / 100;
  return fitted(text, x, y - 74 * scale, 78 * scale, 28 * scale, lighten(stage.look.ink('#3a2618', 0), -0.4), BOLD);
}

/** Writes words without a sign: in the sky, on a poster, or across the picture. */
export function lettering(stage: Stage, setting: Setting, texts: readonly string[]): string {
  const { frame, look, brief, defs, t } = stage;
  const { width, height, horizon, u } = frame;
  return each(texts, (text, index) => {
    const y = (setting.world === 'outdoors' ? horizon * 0.3 : height * 0.24) + index * 13 * u;
    if (brief.styles.has('neon') || (look.night && setting.places.has('city'))) {
      const shine = look.glow(['#ff4fd8', '#38e0ff', '#ffd84f'][index % 3] as string);
      const flicker = t > 0 && Math.sin(t * 17) > 0.93 ? 0.6 : 1;
      const glow = fitted(
        text,
        width / 2,
        y,
        width * 0.72,
        13 * u,
        'none',
        svg`${BOLD} stroke="${shine}" stroke-width="${1.6 * u}" ${faint(0.3 * flicker)}`,
      );
      return (
        glow +
        fitted(
          text,
          width / 2,
          y,
          width * 0.72,
          13 * u,
          lighten(shine, 0.55),
          svg`${BOLD} stroke="${shine}" stroke-width="${0.3 * u}" ${faint(flicker)}`,
        )
      );
    }
    const indoors = setting.world === 'room';
    const w = Math.min(width * (indoors ? 0.4 : 0.74), Math.max(26 * u, text.length * 7 * u));
    const middle = indoors ? width * (0.5 - look.side * 0.24) : width / 2;
    const tall = indoors ? 17 * u : 13 * u;
    const [left, top] = [middle - w / 2, y - tall / 2];
    const cloth = look.ink(look.accents[0] as string, 0);
    const sway = Math.sin(t * 1.4) * 0.5 * u;
    const paper = mix(look.ink('#fbf5e6', 0), '#fbf5e6', 0.5);
    const strings =
      setting.world === 'outdoors'
        ? line(
            svg`M${left + 3 * u} ${top}L${left - 2 * u} ${top - 20 * u}M${left + w - 3 * u} ${top}L${left + w + 2 * u} ${top - 20 * u}`,
            look.ink('#5b4a3a', 0),
            0.3 * u,
          )
        : '';
    return svg`<g transform="translate(0 ${sway})">${strings}${rect(left - u, top - u, w + 2 * u, tall + 2 * u, cloth, svg`rx="${1.2 * u}"`)}${rect(
      left,
      top,
      w,
      tall,
      defs.linear([0, paper], [1, lighten(paper, -0.06)]),
      svg`rx="${0.7 * u}"`,
    )}${fitted(text, middle, top + tall / 2, w - 4 * u, tall - 3 * u, '#26222a', BOLD)}</g>`;
  });
}

/** The strip below a picture with the prompt and the credit. */
export interface Strip {
  height: number;
  svg(width: number, top: number): string;
}

const MARKS = ['procedurally drawn by Chorus', 'drawn by Chorus', 'drawn'];

/** @param title null: no strip; the credit is then in the picture */
export function stripOf(width: number, height: number, title: string | null): Strip {
  const side = Math.min(width, height);
  const size = Math.min(44, Math.max(6, side * 0.0215 + 2.5));
  const small = Math.max(5.5, size * 0.68);
  const mark = MARKS.find((one) => one.length * small * SERIF_WIDTH < width * 0.32) ?? (MARKS.at(-1) as string);
  const shown = title === null || side < 160 ? '' : drawableText(title);
  const room = width - mark.length * small * SERIF_WIDTH - size * 3.2;
  const lines = shown === '' ? [] : wrapped(shown, Math.max(6, Math.floor(room / (size * SERIF_WIDTH))), 2);
  if (lines.length === 0)
    return {
      height: 0,
      svg: (w, top) =>
        letters(
          w - small * 0.7,
          top - small * 0.7,
          small,
          mark,
          '#ffffff',
          svg`font-family="${SANS}" text-anchor="end" stroke="#101218" stroke-opacity="0.55" stroke-width="${small * 0.22}" paint-order="stroke" ${faint(0.92)}`,
        ),
    };
  const tall = Math.round(size * (lines.length * 1.28 + 1.1));
  return {
    height: tall,
    svg(w, top) {
      const first = top + (tall - (lines.length - 1) * size * 1.28) / 2 + size * 0.34;
      const words = each(lines, (text, index) =>
        letters(size * 1.1, first + index * size * 1.28, size, text, '#2a2830', `font-family="${SERIF}"`),
      );
      const by = letters(
        w - size * 1.1,
        top + tall / 2 + small * 0.34,
        small,
        mark,
        '#6a6570',
        `font-family="${SANS}" text-anchor="end"`,
      );
      return (
        rect(0, top, w, tall, '#f6f1e7') +
        rect(0, top, w, Math.max(1, size * 0.05), '#2a2830', faint(0.25)) +
        words +
        by
      );
    },
  };
}
