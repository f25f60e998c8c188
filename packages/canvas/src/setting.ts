import type { Brief } from './brief.ts';
import type { Random } from './random.ts';
import { KINDS } from './things/kinds.ts';
import { type Place, SHAPE_KINDS, type World } from './vocabulary.ts';

export interface Setting {
  world: World;
  /** Places named by the prompt or implied by things. */
  places: ReadonlySet<Place>;
  horizon: number;
  /** Water between two shares of the way from the horizon to the bottom, or null. */
  water: { from: number; to: number } | null;
}

const HOMES = {
  sea: 'sea',
  lake: 'lake',
  desert: 'desert',
  snow: 'snow',
  space: 'space',
  underwater: 'underwater',
  room: 'room',
  city: 'city',
  road: 'road',
  forest: 'forest',
  meadow: 'meadow',
} as const;

const DEFAULT_PLACES: readonly (readonly Place[])[] = [
  ['hill'],
  ['mountain', 'lake'],
  ['meadow', 'hill'],
  ['sea'],
  ['mountain', 'meadow'],
  ['hill', 'river'],
  ['lake', 'hill'],
  ['forest', 'meadow'],
];

export function chooseSetting(brief: Brief, parent: Random): Setting {
  const random = parent.fork('setting');
  const places = new Set<Place>(brief.places.keys());
  const drawn = brief.things.filter(({ count }) => count >= 0);
  places.delete('sky');
  const shapesOnly = drawn.length > 0 && drawn.every(({ kind }) => SHAPE_KINDS.has(kind) || kind === 'heart');
  const nothing = drawn.length === 0 && places.size === 0 && brief.lights.size === 0 && brief.weathers.size === 0;
  const named = nothing && brief.time === null && brief.season === null && !brief.places.has('sky');
  if (places.size === 0 && (shapesOnly || named || (brief.styles.has('abstract') && drawn.length === 0)))
    return { world: 'abstract', places, horizon: 0.6, water: null };

  if (places.size === 0) {
    const homes = drawn.flatMap(({ kind, position }) => (position === 'aloft' ? [] : (KINDS[kind].home ?? [])));
    const home = homes.find((one) => one !== 'room') ?? homes[0];
    // A candle in a castle is not a still life, but a cup with a cat is.
    const built = drawn.some(({ kind }) => KINDS[kind].zone === 'back');
    if (home && !(home === 'room' && built)) places.add(HOMES[home]);
    else if (brief.lights.size > 0 && drawn.length === 0)
      for (const one of random.pick([['hill'], ['lake', 'mountain'], ['sea']] as const)) places.add(one);
    else for (const one of random.pick(DEFAULT_PLACES)) places.add(one);
  }
  const wantsWater = drawn.some(({ kind }) => KINDS[kind].zone === 'water');
  if (places.has('underwater')) return { world: 'underwater', places, horizon: 0.86, water: { from: 0, to: 1 } };
  if (places.has('space')) return { world: 'space', places, horizon: 0.8, water: null };
  if (places.has('room')) return { world: 'room', places, horizon: 0.68, water: null };
  const hasWater = (['sea', 'beach', 'lake', 'island', 'waterfall'] as const).some((one) => places.has(one));
  if (wantsWater && !hasWater && !places.has('river')) places.add('lake');
  return {
    world: 'outdoors',
    places,
    horizon: horizonOf(places, random),
    water: waterOf(
      places,
      drawn.some(({ kind }) => ['ground', 'back', 'board'].includes(KINDS[kind].zone)),
      random,
    ),
  };
}

function horizonOf(places: ReadonlySet<Place>, random: Random): number {
  if (places.has('city')) return random.between(0.6, 0.68);
  if (places.has('mountain') || places.has('volcano')) return random.between(0.58, 0.66);
  if (places.has('street')) return random.between(0.5, 0.56);
  if (places.has('sea') || places.has('beach') || places.has('island')) return random.between(0.48, 0.58);
  if (places.has('forest')) return random.between(0.56, 0.64);
  return random.between(0.5, 0.6);
}

function waterOf(places: ReadonlySet<Place>, landed: boolean, random: Random): Setting['water'] {
  if (places.has('beach')) return { from: 0, to: random.between(0.46, 0.58) };
  if (places.has('sea') || places.has('island')) return { from: 0, to: landed ? random.between(0.6, 0.7) : 1 };
  if (places.has('waterfall')) return { from: 0.3, to: landed ? 0.72 : 1 };
  if (places.has('city') && !places.has('road') && !places.has('street') && !places.has('meadow'))
    return { from: 0.03, to: landed ? 0.6 : 1 };
  if (places.has('lake') || (places.has('snow') && random.chance(0.2)))
    return { from: random.between(0.02, 0.08), to: random.between(0.54, 0.66) };
  return null;
}
