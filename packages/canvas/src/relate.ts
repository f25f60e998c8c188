import type { Thing } from './brief.ts';
import type { Stage } from './stage.ts';
import type { Zone } from './things/kinds.ts';

export interface Placed {
  thing: Thing;
  /** Its index among several of its kind. */
  index: number;
  x: number;
  y: number;
  tall: number;
  wide: number;
  /** 0 is near, 1 far. */
  distance: number;
  zone: Zone;
  flipped: boolean;
  /** Held in a hand, so it has no shadow. */
  held?: boolean;
  /** Things on top of others come after them. */
  order: number;
}

const HOLDERS: ReadonlySet<string> = new Set([
  'person',
  'child',
  'robot',
  'astronaut',
  'snowman',
  'ghost',
  'bear',
  'penguin',
  'cat',
]);
const HELD: ReadonlySet<string> = new Set([
  'umbrella',
  'balloon',
  'kite',
  'flag',
  'lantern',
  'flower',
  'tulip',
  'sunflower',
  'book',
  'guitar',
  'gift',
  'ball',
  'candle',
  'heart',
  'key',
  'cup',
]);

function hold(thing: Placed, holder: Placed): void {
  const floats = ['umbrella', 'balloon', 'kite', 'flag', 'lantern'].includes(thing.thing.kind);
  const share = floats ? 0.72 : 0.3;
  const scale = (holder.tall * share) / thing.tall;
  thing.tall *= scale;
  thing.wide *= scale;
  thing.x = holder.x + holder.tall * (thing.thing.kind === 'umbrella' ? 0.17 : 0.2);
  thing.y = holder.y - holder.tall * (thing.thing.kind === 'kite' ? 0.9 : 0.4);
  thing.zone = 'board';
  thing.held = true;
  thing.order = holder.order + 0.5;
}

/** The height at which others stand on a thing, as a share of its height. */
const TOPS: Partial<Record<Thing['kind'], number>> = {
  chair: 0.46,
  house: 0.8,
  rock: 0.54,
  bench: 0.27,
  table: 0.6,
  car: 0.6,
  boat: 0.18,
  ship: 0.3,
  bridge: 0.5,
  book: 0.3,
  elephant: 0.92,
  horse: 0.72,
  bicycle: 0.7,
  mushroom: 0.92,
  cake: 0.66,
};

export function relate(
  first: ReadonlyMap<number, Placed>,
  things: readonly Thing[],
  { width, height, u }: Stage['frame'],
): void {
  // Twice, because a reference object may move, too.
  const twice = [...things.entries(), ...things.entries()];
  for (const [at, { relation }] of twice) {
    const [placed, other] = [first.get(at), relation ? first.get(relation.other) : undefined];
    if (!relation || !placed || !other) continue;
    const gap = (placed.wide + other.wide) / 2 + 3 * u;
    const near = (x: number) => Math.min(width - placed.wide * 0.45, Math.max(placed.wide * 0.45, x));
    switch (relation.how) {
      case 'left':
      case 'right': {
        const sign = relation.how === 'left' ? -1 : 1;
        // The other thing makes room if there is none.
        other.x =
          sign < 0 ? Math.max(other.x, gap + placed.wide / 2) : Math.min(other.x, width - gap - placed.wide / 2);
        placed.x = near(other.x + sign * gap);
        placed.y = placed.zone === other.zone ? other.y : placed.y;
        break;
      }
      case 'beside':
        placed.x = near(other.x + (other.x > width / 2 ? -gap : gap));
        if (placed.zone === other.zone || placed.zone === 'ground') placed.y = Math.max(placed.y, other.y);
        break;
      case 'above':
        placed.x = near(other.x);
        placed.y = Math.max(placed.tall * 1.05, other.y - other.tall - 5 * u);
        break;
      case 'below':
        placed.x = near(other.x);
        if (other.zone === 'air') placed.y = Math.max(placed.y, other.y + placed.tall + 4 * u);
        else placed.order = other.order + 1;
        break;
      case 'on': {
        if (other.zone === 'air') continue;
        const scale = Math.min(1, (other.wide * 0.62) / placed.wide, (other.tall * 1.1) / placed.tall);
        placed.tall *= scale;
        placed.wide *= scale;
        placed.x = other.x;
        placed.y = other.y - other.tall * (TOPS[other.thing.kind] ?? 0.94);
        placed.order = other.order + 0.5;
        placed.zone = 'board';
        break;
      }
      case 'held':
        if (!HOLDERS.has(placed.thing.kind) || !HELD.has(other.thing.kind)) continue;
        hold(other, placed);
        break;
      case 'behind':
        placed.y = Math.min(placed.y, other.y - 2 * u);
        placed.x = near(other.x + other.wide * 0.3);
        placed.order = other.order - 1;
        break;
      case 'front':
        placed.y = Math.min(height - u, Math.max(placed.y, other.y + 4 * u));
        placed.x = near(other.x + (other.x > width / 2 ? -1 : 1) * (other.wide * 0.36 + placed.wide * 0.3));
        placed.order = Math.max(placed.order, other.order + 1);
        break;
      default:
        relation.how satisfies never;
    }
    if (placed.zone !== 'board' && placed.zone !== 'air' && relation.how !== 'behind')
      placed.order = Math.max(placed.order, placed.y);
  }
}
