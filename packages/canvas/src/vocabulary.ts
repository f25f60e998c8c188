import { LIGHTS, MOODS, PLACES, SEASONS, STYLES, TIMES, WEATHERS } from './scene-words.ts';
import { COLORS, IRREGULAR, NUMBERS, POSITIONS, RELATIONS, SHAPES, SIZES, THINGS } from './words.ts';

export type ThingKind = keyof typeof THINGS | keyof typeof SHAPES;
export type World = 'outdoors' | 'space' | 'underwater' | 'room' | 'abstract';
export type Place = keyof typeof PLACES;
export type Light = keyof typeof LIGHTS;
export type Time = keyof typeof TIMES;
export type Weather = keyof typeof WEATHERS;
export type Season = keyof typeof SEASONS;
export type Mood = keyof typeof MOODS;
export type Style = keyof typeof STYLES;
export type Relation = keyof typeof RELATIONS;
export type Position = keyof typeof POSITIONS;

export type Meaning =
  | { is: 'thing'; kind: ThingKind }
  | { is: 'place'; place: Place }
  | { is: 'light'; light: Light }
  | { is: 'time'; time: Time }
  | { is: 'weather'; weather: Weather }
  | { is: 'season'; season: Season }
  | { is: 'mood'; mood: Mood }
  | { is: 'style'; style: Style }
  | { is: 'color'; color: string }
  | { is: 'shade'; by: number }
  | { is: 'number'; count: number }
  | { is: 'size'; size: number }
  | { is: 'relation'; relation: Relation }
  | { is: 'position'; position: Position }
  | { is: 'not' };

export const MAX_PHRASE = 5;

export const SHAPE_KINDS: ReadonlySet<string> = new Set(Object.keys(SHAPES));

const meanings = new Map<string, Meaning>();

function learn<K extends string>(table: Record<K, string>, meaningOf: (key: K) => Meaning): void {
  for (const key of Object.keys(table) as K[])
    for (const phrase of table[key].split('|')) meanings.set(phrase, meaningOf(key));
}

for (const [word, count] of Object.entries(NUMBERS)) meanings.set(word, { is: 'number', count });
for (const [word, size] of Object.entries(SIZES)) meanings.set(word, { is: 'size', size });
learn(SHAPES, (kind) => ({ is: 'thing', kind }));
learn(STYLES, (style) => ({ is: 'style', style }));
learn(MOODS, (mood) => ({ is: 'mood', mood }));
learn(SEASONS, (season) => ({ is: 'season', season }));
learn(WEATHERS, (weather) => ({ is: 'weather', weather }));
learn(TIMES, (time) => ({ is: 'time', time }));
learn(LIGHTS, (light) => ({ is: 'light', light }));
learn(PLACES, (place) => ({ is: 'place', place }));
learn(THINGS, (kind) => ({ is: 'thing', kind }));
for (const [word, color] of Object.entries(COLORS)) if (!meanings.has(word)) meanings.set(word, { is: 'color', color });
learn(RELATIONS, (relation) => ({ is: 'relation', relation }));
learn(POSITIONS, (position) => ({ is: 'position', position }));
for (const [word, by] of [
  ['light', 0.35],
  ['pale', 0.45],
  ['deep', -0.25],
  ['dark', -0.35],
] as const)
  meanings.set(`${word} `, { is: 'shade', by });
for (const word of ['no', 'without', 'not', 'except']) meanings.set(word, { is: 'not' });

/** Returns the meaning of a phrase in lower case, with plurals as their singular. */
export function meaningOf(phrase: string): { meaning: Meaning; plural: boolean; words: string } | null {
  const own = meanings.get(phrase);
  if (own) return { meaning: own, plural: false, words: phrase };
  for (const singular of singularsOf(phrase)) {
    const meaning = meanings.get(singular);
    if (meaning) return { meaning, plural: true, words: singular };
  }
  return null;
}

/** Returns how much a word such as "light" changes the color after it. */
export function shadeOf(word: string): number | null {
  const meaning = meanings.get(`${word} `);
  return meaning?.is === 'shade' ? meaning.by : null;
}

function singularsOf(phrase: string): string[] {
  const space = phrase.lastIndexOf(' ') + 1;
  const [before, last] = [phrase.slice(0, space), phrase.slice(space)];
  const irregular = Object.hasOwn(IRREGULAR, last) ? [IRREGULAR[last] as string] : [];
  const regular = [
    ...(last.endsWith('ies') ? [`${last.slice(0, -3)}y`] : []),
    ...(/(s|x|z|ch|sh|o)es$/.test(last) ? [last.slice(0, -2)] : []),
    ...(/[^s]s$/.test(last) && last.length > 2 ? [last.slice(0, -1)] : []),
  ];
  return [...irregular, ...regular].map((singular) => before + singular);
}

/** Maximum number of words to read. The rest still affects the seed. */
const MAX_WORDS = 500;
const WORD = /\d+|[\p{L}&][\p{L}\p{M}&'’-]*|[,.;:!?]/gu;

export interface Token {
  words: string;
  meaning: Meaning | null;
  plural: boolean;
}

/** Splits a text into the longest known phrases and punctuation. */
export function tokensOf(text: string): Token[] {
  const words = (text.toLowerCase().match(WORD) ?? [])
    .slice(0, MAX_WORDS)
    .map((word) => word.replaceAll('’', "'").replace(/'s$/, ''));
  const tokens: Token[] = [];
  for (let at = 0; at < words.length; ) {
    let taken = 0;
    for (let length = Math.min(MAX_PHRASE, words.length - at); length > 0 && taken === 0; length -= 1) {
      const phrase = words.slice(at, at + length).join(' ');
      const found = meaningOf(phrase);
      if (!found) continue;
      tokens.push(found);
      taken = length;
    }
    if (taken === 0) tokens.push({ words: words[at] as string, meaning: null, plural: false });
    at += Math.max(1, taken);
  }
  return tokens;
}
