import type { Thing } from './brief.ts';
import type { Random } from './random.ts';
import { type Placed, relate } from './relate.ts';
import type { Setting } from './setting.ts';
import type { Stage } from './stage.ts';
import { KINDS, type Zone } from './things/kinds.ts';

/** Limit of all objects together. */
const MAX_PLACED = 60;

/** Places objects according to the prompt, with sizes by distance. */
export function placeThings({ brief, frame, random: parent, look }: Stage, setting: Setting): Placed[] {
  const all: Placed[] = [];
  const first = new Map<number, Placed>();
  const shown = ({ count }: Thing) => count >= 0;
  const actor = brief.things.findIndex((thing) => shown(thing) && KINDS[thing.kind].zone !== 'back');
  const hero = actor >= 0 ? actor : brief.things.findIndex(shown);
  const slots = brief.things.reduce(
    (sum, { kind, count }) => sum + (count < 0 ? 0 : count === 0 ? KINDS[kind].groupSize : count),
    0,
  );
  brief.things.forEach((thing, at) => {
    if (thing.count < 0 || (thing.kind === 'table' && setting.world === 'room')) return;
    const random = parent.fork(`place ${at} ${thing.word}`);
    const count = Math.min(thing.count === 0 ? KINDS[thing.kind].groupSize : thing.count, MAX_PLACED - all.length);
    const zone = zoneOf(thing, setting);
    const crowd = Math.min(1, (5 / Math.max(5, count)) ** 0.42);
    for (let index = 0; index < count; index += 1) {
      const read = thing.kind === 'sign' && brief.lettering.length > 0;
      const isHero = count <= 3 && (at === hero || read || brief.things[hero]?.relation?.other === at);
      const free = all.filter((other) => other.zone === 'free').length;
      const slot = zone === 'free' ? { index: free, count: slots } : { index, count };
      const placed = put({ frame, look }, setting, { thing, zone, ...slot, hero: isHero, crowd }, random, all);
      placed.index = index;
      all.push(placed);
      if (index === 0) first.set(at, placed);
    }
  });
  relate(first, brief.things, frame);
  return all.sort((one, other) => one.order - other.order);
}

interface Candidate {
  thing: Thing;
  zone: Zone;
  index: number;
  count: number;
  hero: boolean;
  crowd: number;
}

function zoneOf({ kind, position }: Thing, { world, water }: Setting): Zone {
  const { zone } = KINDS[kind];
  if (position === 'aloft' && zone !== 'deep') return 'air';
  if (world === 'underwater') return zone === 'air' || zone === 'water' || zone === 'deep' ? 'deep' : 'ground';
  if (world === 'room' && zone !== 'free' && zone !== 'air') return 'board';
  if (world === 'abstract') return 'free';
  if (zone === 'deep') return water ? 'water' : 'air';
  if (zone === 'water' && !water) return 'ground';
  if (zone === 'board') return 'ground';
  if (world === 'space' && (zone === 'water' || zone === 'back')) return 'ground';
  return zone;
}

function put(
  { frame, look }: Pick<Stage, 'frame' | 'look'>,
  setting: Setting,
  spec: Candidate,
  random: Random,
  all: readonly Placed[],
): Placed {
  const { thing, zone, index, count, hero, crowd } = spec;
  const facts = KINDS[thing.kind];
  const { width, height, u } = frame;
  const { near, y } = depthOf(frame, setting, spec, random);
  const grows = zone === 'air' || zone === 'free' || zone === 'deep' ? random.between(0.78, 1.12) : 0.34 + near * 0.86;
  const aloft = zone === 'air' ? frame.horizon * 0.62 : height * 0.78;
  const closeUp = thing.position === 'near' ? 1.75 : hero ? (zone === 'air' ? 1.2 : 1.42) : 1;
  const bounded = Math.min(thing.size * closeUp * crowd, 2.6);
  // Keeps things within the picture's height and near its width.
  const tall = Math.min(facts.tall * u * grows * bounded, aloft, (width * 0.8) / facts.wide);
  const wide = tall * facts.wide;
  const street = setting.places.has('street');
  const x = sideOf(spec, random, frame, all, { y, wide, light: look.side, street });
  const flipped = random.chance(0.5);
  return {
    thing,
    index,
    x,
    y: zone === 'air' || zone === 'deep' || zone === 'free' ? Math.max(y + tall / 2, tall * 1.22 + u) : y,
    tall,
    wide,
    distance: zone === 'air' ? 0.12 : Math.max(0, 0.46 * (1 - near)),
    zone,
    flipped,
    order: (zone === 'air' ? -1e5 : 0) + y + index * 0.01 + (count > 0 ? 0 : 1),
  };
}

function depthOf(
  frame: Stage['frame'],
  setting: Setting,
  { thing, zone, hero, index, count }: Candidate,
  random: Random,
): { near: number; y: number } {
  const { height, horizon, u } = frame;
  const ground = height - horizon;
  const far = thing.position === 'far';
  const at = (near: number) => ({ near, y: horizon + near * ground });
  const jitter = random.next();
  switch (zone) {
    case 'air':
      return { near: 1, y: horizon * (hero && count === 1 ? random.between(0.34, 0.5) : random.between(0.16, 0.68)) };
    case 'deep':
      return { near: 1, y: height * (hero && count === 1 ? random.between(0.4, 0.55) : random.between(0.14, 0.78)) };
    case 'free': {
      const rows = Math.ceil(Math.sqrt(count));
      const row = Math.floor(index / rows);
      return {
        near: 1,
        y: count === 1 ? height * 0.5 : height * (0.16 + (0.68 * (row + 0.3 + jitter * 0.4)) / Math.ceil(count / rows)),
      };
    }
    case 'board': {
      const y = frame.horizon + (height - frame.horizon) * (0.24 + 0.42 * (hero ? 0.45 : jitter));
      return { near: 0.92, y };
    }
    case 'water': {
      const water = setting.water ?? { from: 0, to: 1 };
      const span = water.to - water.from;
      const near = water.from + span * (far ? 0.12 : hero ? random.between(0.5, 0.72) : random.between(0.2, 0.72));
      return { near: Math.max(near, 0.1) * 1.15, y: horizon + near * ground };
    }
    case 'back':
      return at(
        far
          ? 0.06
          : (setting.water && setting.water.to < 0.95 ? setting.water.to * 0.9 : 0) +
              (hero || count === 1 ? random.between(0.26, 0.36) : 0.1 + 0.3 * jitter) * (setting.water ? 0.4 : 1),
      );
    case 'ground': {
      const shore = setting.water ? Math.min(0.9, setting.water.to + 0.06) : 0.16;
      const from = thing.position === 'near' ? 0.86 : hero ? Math.max(0.66, shore + 0.08) : shore;
      const to = hero || thing.position === 'near' ? Math.min(0.97, from + 0.16) : 0.95;
      const near = far ? shore : from + (to - from) * (count > 3 ? (index * 0.618 + jitter * 0.2) % 1 : jitter);
      return { near, y: Math.min(height - 1.5 * u, horizon + near * ground) };
    }
    default:
      return zone satisfies never;
  }
}

/** Chooses the position that hides the least. */
function sideOf(
  { thing, zone, index, count, hero }: Candidate,
  random: Random,
  { width, u }: Stage['frame'],
  all: readonly Placed[],
  box: { y: number; wide: number; light: number; street: boolean },
): number {
  const edge = Math.min(width * 0.5, box.wide * 0.5 + 2 * u);
  const clamp = (x: number) => Math.min(width - edge, Math.max(edge, x));
  if (thing.position === 'left') return clamp(width * random.between(0.14, 0.3));
  if (thing.position === 'right') return clamp(width * random.between(0.7, 0.86));
  if (thing.position === 'center') return width * 0.5;
  if (zone === 'back' && box.street) return clamp(width * (index % 2 === 0 ? 0.24 : 0.76));
  if (zone === 'free') {
    if (count === 1) return width * 0.5;
    const columns = Math.ceil(Math.sqrt(count));
    return clamp((width * ((index % columns) + 0.3 + random.next() * 0.4)) / columns);
  }
  const candidates = Array.from({ length: 7 }, (_, attempt) => {
    if (hero && count === 1 && attempt < 2) return clamp(width * (0.5 - box.light * (attempt === 0 ? 0.13 : -0.1)));
    if (count > 1) return clamp((width * (((index * 0.618 + 0.31) % 1) + random.between(-0.1, 0.1))) / 1);
    return clamp(width * random.between(0.1, 0.9));
  });
  const cost = (x: number) =>
    all.reduce((sum, other) => {
      const apart = Math.abs(other.x - x) - (other.wide + box.wide) * 0.46;
      const level = Math.abs(other.y - box.y) < Math.max(other.tall, 8 * u) ? 1 : 0.25;
      return sum + Math.max(0, -apart) * level;
    }, 0);
  return candidates.reduce((best, x) => (cost(x) < cost(best) - 0.5 ? x : best), candidates[0] as number);
}
