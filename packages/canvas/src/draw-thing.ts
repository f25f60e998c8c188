import { isWhite } from './backdrop/land.ts';
import { mix } from './color.ts';
import type { Placed } from './relate.ts';
import type { Setting } from './setting.ts';
import type { Stage } from './stage.ts';
import { ellipse, faint, group, svg } from './svg.ts';
import { DRAWINGS } from './things/kinds.ts';
import type { ThingKind } from './vocabulary.ts';

/** Speeds in hundredths of the picture's shorter side per second. */
const SPEEDS: Partial<Record<ThingKind, number>> = {
  car: 11,
  bus: 8,
  truck: 8,
  train: 8,
  bicycle: 5,
  boat: 1.3,
  ship: 1,
  airplane: 8,
  bird: 5,
  fish: 4,
  whale: 1.6,
  airballoon: 0.9,
  butterfly: 2.4,
  horse: 3,
  dog: 2.6,
  wolf: 3,
  fox: 2.6,
  duck: 1.4,
  person: 1.2,
  child: 1.4,
  robot: 0.8,
  elephant: 1,
  cow: 0.4,
  sheep: 0.4,
  deer: 1.2,
  ufo: 1.5,
  balloon: 0.5,
};

/** Kinds that are symmetric or have lettering. */
const NEVER_FLIPPED: ReadonlySet<ThingKind> = new Set(['sign', 'clock', 'guitar', 'key', 'house', 'castle', 'church']);

export function drawThing(stage: Stage, setting: Setting, placed: Placed): string {
  const { look, frame, t, random, brief } = stage;
  const { thing, tall, distance, zone, index } = placed;
  const { kind } = thing;
  const flipped = placed.flipped && !NEVER_FLIPPED.has(kind);
  const scale = tall / 100;
  const [x, y] = moved(placed, stage, flipped);
  const own = random.fork(`thing ${kind} ${thing.word} ${index}`);
  const colors = thing.colors;
  const body = DRAWINGS[kind]({
    ink: (base) => look.ink(base, distance),
    glow: (base) => mix(look.glow(base), look.haze, distance * 0.5),
    color: colors.length > 1 && thing.count > 1 ? (colors[index % colors.length] ?? null) : (colors[0] ?? null),
    second: thing.count > 1 ? null : (colors[1] ?? null),
    accents: look.accents,
    word: thing.word,
    random: own,
    t: t === 0 ? 0 : t + index * 0.7,
    light: flipped ? (-look.side as -1 | 1) : look.side,
    night: look.night,
    white: isWhite(brief),
    season: brief.season,
  });
  const outline = outlineOf(stage, scale);
  const drawn = group(
    body,
    svg`translate(${x} ${y}) scale(${round(flipped ? -scale : scale)} ${round(scale)})`,
    outline,
  );
  if (zone === 'water' && setting.world === 'outdoors') {
    const mirrored = group(
      body,
      svg`translate(${x + Math.sin(t) * 0.3 * frame.u} ${y}) scale(${round(flipped ? -scale : scale)} ${round(-scale * 0.55)})`,
      faint(0.2),
    );
    return mirrored + drawn;
  }
  if (zone === 'air' || zone === 'deep' || zone === 'free' || placed.held) return drawn;
  const reach = placed.wide * 0.46;
  const shadow = ellipse(
    x - look.side * reach * 0.22,
    y,
    reach,
    Math.max(0.5, reach * 0.13),
    '#0d1020',
    `stroke="none" ${faint((look.night ? 0.34 : 0.2) * (1 - distance))}`,
  );
  return shadow + drawn;
}

/** Moves a thing over time. It reappears on the other side. */
function moved({ thing, x, y, wide, zone }: Placed, { t, frame }: Stage, flipped: boolean): [number, number] {
  const speed = (SPEEDS[thing.kind] ?? 0) * frame.u;
  if (t === 0 || speed === 0) return thing.kind === 'rocket' ? [x, y - t * 5 * frame.u] : [x, y];
  const span = frame.width + 2 * frame.margin + wide * 2;
  const from = -frame.margin - wide;
  const along = x + (flipped ? -1 : 1) * speed * t;
  const wrapped = ((((along - from) % span) + span) % span) + from;
  const lift = zone === 'air' ? Math.sin(t * 1.3 + x) * 0.7 * frame.u : 0;
  return [wrapped, y + lift];
}

/** Styles drawn with a pen outline every shape with the same width. */
export function outlineOf({ brief, frame }: Pick<Stage, 'brief' | 'frame'>, scale: number): string {
  const { styles } = brief;
  if (!styles.has('ink') && !styles.has('ukiyoe')) return '';
  const width = ((styles.has('ink') ? 0.26 : 0.2) * frame.u) / scale;
  return `stroke="#2a2522" stroke-width="${round(width)}" stroke-linejoin="round"`;
}

const round = (value: number) => String(Math.round(value * 1000) / 1000);
