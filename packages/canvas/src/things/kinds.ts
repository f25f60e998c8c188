import type { ThingKind } from '../vocabulary.ts';
import { BEASTS } from './beasts.ts';
import { CRAFTS } from './crafts.ts';
import { CREATURES } from './creatures.ts';
import { GROWTHS } from './growths.ts';
import { HOUSEHOLD } from './household.ts';
import { HOUSES } from './houses.ts';
import type { DrawThing } from './pencil.ts';
import { PEOPLE } from './people.ts';
import { PLAYTHINGS } from './playthings.ts';
import { SHAPES } from './shapes.ts';
import { STRUCTURES } from './structures.ts';
import { TREES } from './trees.ts';
import { WHEELS } from './wheels.ts';
import { WINGED } from './winged.ts';

/** Drawings by kind. A missing one does not compile. */
export const DRAWINGS: Record<ThingKind, DrawThing> = {
  ...BEASTS,
  ...CREATURES,
  ...WINGED,
  ...PEOPLE,
  ...TREES,
  ...GROWTHS,
  ...HOUSES,
  ...STRUCTURES,
  ...WHEELS,
  ...CRAFTS,
  ...PLAYTHINGS,
  ...HOUSEHOLD,
  ...SHAPES,
};

/** Where a kind belongs. */
export type Zone = 'ground' | 'back' | 'water' | 'air' | 'deep' | 'board' | 'free';

export interface KindFacts {
  zone: Zone;
  /** Height nearby, in hundredths of the picture's shorter side. */
  tall: number;
  /** Width as a share of the height. */
  wide: number;
  /** How many to draw for a plural without a number. */
  groupSize: number;
  /** The place it implies if the prompt names none. */
  home?: 'sea' | 'lake' | 'desert' | 'snow' | 'space' | 'underwater' | 'room' | 'city' | 'road' | 'forest' | 'meadow';
}

const facts = (zone: Zone, tall: number, wide: number, many: number, home?: KindFacts['home']): KindFacts => ({
  zone,
  tall,
  wide,
  groupSize: many,
  ...(home && { home }),
});

export const KINDS: Record<ThingKind, KindFacts> = {
  cat: facts('ground', 25, 0.9, 3),
  dog: facts('ground', 21, 1.2, 3),
  fox: facts('ground', 18, 1.6, 2, 'forest'),
  wolf: facts('ground', 22, 1.5, 3, 'forest'),
  horse: facts('ground', 27, 1.2, 3, 'meadow'),
  deer: facts('ground', 27, 1, 3, 'forest'),
  camel: facts('ground', 30, 1.2, 4, 'desert'),
  pig: facts('ground', 16, 1.5, 3, 'meadow'),
  cow: facts('ground', 22, 1.6, 3, 'meadow'),
  sheep: facts('ground', 16, 1.3, 5, 'meadow'),
  rabbit: facts('ground', 16, 0.8, 3, 'meadow'),
  bear: facts('ground', 24, 1.5, 2, 'forest'),
  elephant: facts('ground', 31, 1.5, 3, 'meadow'),
  giraffe: facts('ground', 38, 0.8, 3, 'meadow'),
  lion: facts('ground', 22, 1.5, 2, 'meadow'),
  mouse: facts('ground', 11, 1.4, 2),
  owl: facts('ground', 17, 0.8, 2, 'forest'),
  bird: facts('air', 9, 1.4, 5),
  duck: facts('water', 10, 1.4, 4, 'lake'),
  penguin: facts('ground', 19, 0.7, 5, 'snow'),
  chicken: facts('ground', 13, 1, 4, 'meadow'),
  fish: facts('deep', 11, 1.3, 6, 'underwater'),
  whale: facts('water', 17, 2.6, 2, 'sea'),
  butterfly: facts('air', 8, 1.2, 6, 'meadow'),
  turtle: facts('ground', 12, 1.9, 2),
  dragon: facts('ground', 36, 1.6, 2),
  person: facts('ground', 24, 0.5, 3),
  child: facts('ground', 24, 0.4, 3),
  robot: facts('ground', 25, 0.6, 3, 'city'),
  astronaut: facts('ground', 26, 0.7, 2, 'space'),
  snowman: facts('ground', 24, 0.8, 3, 'snow'),
  ghost: facts('ground', 20, 0.6, 3),
  tree: facts('ground', 33, 0.8, 5),
  pine: facts('ground', 33, 0.6, 7),
  palm: facts('ground', 34, 0.8, 4, 'sea'),
  blossom: facts('ground', 33, 0.8, 5),
  bush: facts('ground', 10, 1.5, 6),
  cactus: facts('ground', 20, 0.7, 5, 'desert'),
  flower: facts('ground', 14, 0.4, 30, 'meadow'),
  tulip: facts('ground', 13, 0.4, 30, 'meadow'),
  sunflower: facts('ground', 21, 0.6, 26, 'meadow'),
  mushroom: facts('ground', 13, 0.9, 5, 'forest'),
  pumpkin: facts('ground', 11, 1.1, 5),
  rock: facts('ground', 9, 1.8, 5),
  grass: facts('ground', 13, 0.7, 22, 'meadow'),
  house: facts('back', 25, 1.1, 4),
  barn: facts('back', 24, 1.1, 2, 'meadow'),
  castle: facts('back', 33, 1.1, 2),
  lighthouse: facts('back', 38, 0.6, 2, 'sea'),
  windmill: facts('back', 30, 0.7, 3, 'meadow'),
  tower: facts('back', 38, 0.5, 5, 'city'),
  church: facts('back', 30, 0.8, 2),
  temple: facts('back', 30, 0.9, 2),
  tent: facts('ground', 17, 1.5, 3),
  bridge: facts('water', 15, 4, 1, 'lake'),
  pyramid: facts('back', 27, 1.6, 3, 'desert'),
  igloo: facts('ground', 15, 1.7, 3, 'snow'),
  fence: facts('ground', 8, 4, 2, 'meadow'),
  lamp: facts('ground', 30, 0.3, 4, 'city'),
  bench: facts('ground', 11, 1.8, 2, 'meadow'),
  sign: facts('ground', 25, 0.95, 2),
  car: facts('ground', 12, 2.3, 4, 'road'),
  bus: facts('ground', 17, 2.2, 2, 'road'),
  truck: facts('ground', 16, 2.2, 2, 'road'),
  train: facts('ground', 15, 3.2, 1),
  bicycle: facts('ground', 15, 1.5, 2, 'road'),
  boat: facts('water', 20, 1.1, 4, 'lake'),
  ship: facts('water', 23, 2, 2, 'sea'),
  airplane: facts('air', 13, 1.7, 3),
  rocket: facts('air', 28, 0.6, 2, 'space'),
  ufo: facts('air', 16, 1.3, 3),
  airballoon: facts('air', 24, 0.7, 5),
  balloon: facts('air', 17, 0.5, 6),
  kite: facts('air', 16, 0.7, 3),
  umbrella: facts('ground', 20, 1.1, 3),
  ball: facts('ground', 10, 1, 3),
  book: facts('board', 15, 2.6, 3, 'room'),
  cup: facts('board', 22, 1.4, 3, 'room'),
  teapot: facts('board', 24, 1.4, 2, 'room'),
  candle: facts('board', 25, 0.5, 3, 'room'),
  lantern: facts('air', 15, 0.8, 7),
  chair: facts('ground', 24, 0.9, 3, 'room'),
  table: facts('ground', 19, 2.7, 1, 'room'),
  apple: facts('board', 14, 0.9, 4, 'room'),
  cake: facts('board', 28, 1.2, 2, 'room'),
  guitar: facts('board', 36, 0.6, 2, 'room'),
  heart: facts('free', 20, 1, 5),
  crown: facts('board', 18, 1.2, 2, 'room'),
  gift: facts('ground', 15, 0.9, 5),
  key: facts('board', 18, 0.6, 3, 'room'),
  clock: facts('board', 22, 1, 3, 'room'),
  bottle: facts('board', 30, 0.4, 3, 'room'),
  vase: facts('board', 29, 0.6, 2, 'room'),
  campfire: facts('ground', 18, 0.9, 2),
  flag: facts('ground', 25, 0.7, 4),
  anchor: facts('ground', 17, 1, 2, 'sea'),
  circle: facts('free', 21, 1, 7),
  square: facts('free', 19, 1, 7),
  triangle: facts('free', 21, 1.1, 7),
  cube: facts('free', 21, 1, 6),
  sphere: facts('free', 21, 1, 6),
  spiral: facts('free', 25, 1, 4),
  wave: facts('free', 15, 1.5, 4),
  line: facts('free', 15, 1.5, 4),
  diamond: facts('free', 18, 1, 5),
};
