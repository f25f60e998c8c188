import type { Brief } from './brief.ts';
import { lighten } from './color.ts';
import {
  type Meaning,
  type Position,
  type Relation,
  shadeOf,
  type ThingKind,
  type Token,
  tokensOf,
} from './vocabulary.ts';

const MAX_THINGS = 12;
const MAX_COUNT = 24;
const MAX_QUOTE = 60;

const QUOTED = /["“”„«»]([^"“”„«»]{1,200})["“”„«»]|(?:^|\s)['‘]([^'‘’]{2,80})['’](?=$|[\s.,;!?])/gu;

/** Common words without a visual meaning. */
const STOP_WORDS = new Set(
  `a an the of in with and or to at is are be from its it his her their our my your this that these those as for into onto
  through across around along while where which who very so much more most up down out off there here all each every other
  picture image photo photograph painting illustration drawing render scene view showing shows depicting featuring made style
  highly detailed beautiful stunning masterpiece quality best 4k 8k hd uhd ultra realistic photorealistic trending artstation
  art digital wallpaper background full lot looking walking running sitting standing lying going coming please draw create make`
    .split(/\s+/)
    .filter(Boolean),
);

/** Nouns with the same plural: without an article, several are meant. */
const INVARIANT_PLURALS = new Set(['fish', 'sheep', 'deer', 'salmon', 'trout', 'koi', 'bison', 'moose', 'tuna']);

/** "A vase of tulips": the flowers are in it. */
const FLOWER_HOLDERS = new Set(['vase', 'pot', 'flowerpot', 'bouquet', 'urn', 'bottle', 'jar']);
const PLANTED: ReadonlySet<string> = new Set(['flower', 'tulip', 'sunflower', 'grass']);

const NO_TEXT = /\b(text|words?|letters?|caption|title|watermark|writing|typography)\b/i;

/** Reads a prompt, and removes everything that the negative prompt names. */
export function readPrompt(prompt: string, negativePrompt = ''): Brief {
  const brief: Brief = {
    things: [],
    places: new Map(),
    lights: new Map(),
    time: null,
    weathers: new Set(),
    season: null,
    moods: new Set(),
    styles: new Set(),
    colors: [],
    lettering: [],
    unknown: [],
    titled: !NO_TEXT.test(negativePrompt),
  };
  const text = prompt.slice(0, 20_000).replace(QUOTED, (_all, double?: string, single?: string) => {
    const quote = (double ?? single ?? '').replace(/\s+/gu, ' ').trim().slice(0, MAX_QUOTE);
    if (quote !== '' && brief.lettering.length < 3) brief.lettering.push(quote);
    return ' , ';
  });
  const without = new Reader(brief).read(tokensOf(text));
  for (const { meaning } of tokensOf(negativePrompt.slice(0, 8_000))) if (meaning) without.push(meaning);
  for (const meaning of without) exclude(brief, meaning);
  return brief;
}

function isNoun(token: Token | undefined): boolean {
  return token?.meaning != null && ['thing', 'place', 'light', 'color'].includes(token.meaning.is);
}

/** Reads a text once. Adjectives belong to the noun that follows. */
class Reader {
  readonly #brief: Brief;
  readonly #without: Meaning[] = [];
  #count: number | null = null;
  #colors: string[] = [];
  #size = 1;
  #aloft: Position | null = null;
  #not = false;
  /** Whether an article means one. */
  #one = false;
  #relation: { how: Relation; from: number } | null = null;
  /** Tokens since the last object. */
  #since = 2;

  constructor(brief: Brief) {
    this.#brief = brief;
  }

  /** @returns the meanings that the text itself excludes */
  read(tokens: Token[]): Meaning[] {
    tokens.forEach((token, at) => {
      this.#take(token, tokens[at + 1], tokens[at - 1]);
      if (token.words !== 'of') this.#since += 1;
    });
    this.#keepColors();
    return this.#without;
  }

  #take({ words, meaning, plural }: Token, next: Token | undefined, before: Token | undefined): void {
    const brief = this.#brief;
    if (meaning === null) {
      if (/^\d+$/.test(words)) this.#count = Math.min(MAX_COUNT, Math.max(1, Number(words)));
      else if (/^[,.;:!?]$/.test(words)) this.#pause(words);
      else if (words === 'a' || words === 'an' || words === 'the') this.#one = true;
      else if (!STOP_WORDS.has(words) && brief.unknown.length < 60) brief.unknown.push(words);
      return;
    }
    const shade = next?.meaning?.is === 'color' ? shadeOf(words) : null;
    if (shade !== null && next?.meaning?.is === 'color') {
      next.meaning = { is: 'color', color: lighten(next.meaning.color, shade) };
      return;
    }
    if (this.#not && meaning.is !== 'color' && meaning.is !== 'number' && meaning.is !== 'size') {
      this.#without.push(meaning);
      this.#forget();
      return;
    }
    switch (meaning.is) {
      case 'thing':
        this.#addThing(meaning.kind, words, plural);
        return;
      case 'place': {
        const color = this.#colors[0] ?? null;
        brief.places.set(meaning.place, color ?? brief.places.get(meaning.place) ?? null);
        this.#relation = null;
        this.#forget();
        return;
      }
      case 'light': {
        const count = Math.min(3, this.#count ?? 1);
        brief.lights.set(meaning.light, { count, color: this.#colors[0] ?? null, size: this.#size, word: words });
        this.#relation = null;
        this.#forget();
        return;
      }
      case 'color':
        // "An orange on a plate": without a noun after it, orange is the fruit.
        if (words === 'orange' && before && /^(an|\d+)$/.test(before.words) && !isNoun(next)) {
          this.#colors.push(meaning.color);
          this.#addThing('apple', words, false);
          return;
        }
        this.#colors.push(meaning.color);
        return;
      case 'number':
        this.#count = meaning.count;
        return;
      case 'size':
        this.#size *= meaning.size;
        return;
      case 'time':
        brief.time ??= meaning.time;
        return;
      case 'weather':
        brief.weathers.add(meaning.weather);
        return;
      case 'season':
        brief.season ??= meaning.season;
        return;
      case 'mood':
        brief.moods.add(meaning.mood);
        return;
      case 'style':
        brief.styles.add(meaning.style);
        return;
      case 'relation':
        if (brief.things.length > 0) this.#relation = { how: meaning.relation, from: brief.things.length - 1 };
        return;
      case 'position':
        this.#place(meaning.position);
        return;
      case 'not':
        this.#not = true;
        return;
      case 'shade':
        return; // precedes a color, or has no meaning
      default:
        meaning satisfies never;
    }
  }

  #addThing(kind: ThingKind, word: string, plural: boolean): void {
    const { things } = this.#brief;
    const last = things.at(-1);
    if (last?.kind === kind && this.#count === null && this.#since <= 1) {
      // "A bottle of wine", "koi fish": two words for one object.
      last.colors.push(...this.#colors);
      if (plural && last.count === 1) last.count = 0;
      this.#forget();
      return;
    }
    if (this.#since <= 1 && last && FLOWER_HOLDERS.has(last.word) && PLANTED.has(kind)) {
      this.#forget();
      return;
    }
    this.#since = 0;
    const same = things.findIndex((thing) => thing.kind === kind && thing.word === word);
    if (same >= 0 && this.#count === null && this.#colors.length === 0) {
      // Mentioned again.
      this.#relate(same);
      this.#forget();
      return;
    }
    if (things.length < MAX_THINGS) {
      const count =
        this.#count ?? (/^(couple|family|crowd)$/.test(word) ? { couple: 2, family: 4, crowd: 9 }[word] : null);
      this.#relate(things.length);
      things.push({
        kind,
        word,
        count: Math.min(MAX_COUNT, count ?? (plural || (INVARIANT_PLURALS.has(word) && !this.#one) ? 0 : 1)),
        colors: this.#colors,
        size: Math.min(2.4, Math.max(0.35, this.#size)),
        position: this.#aloft,
        relation: null,
      });
    }
    this.#forget();
  }

  /** Relates the thing before a word such as "behind" to the one after it. */
  #relate(other: number): void {
    const thing = this.#relation === null ? undefined : this.#brief.things[this.#relation.from];
    if (thing && this.#relation && this.#relation.from !== other) thing.relation ??= { how: this.#relation.how, other };
    this.#relation = null;
  }

  #place(position: Position): void {
    const last = this.#brief.things.at(-1);
    if (last && last.position === null) last.position = position;
    else this.#aloft = position;
  }

  #pause(mark: string): void {
    if (mark !== ',') this.#relation = null;
    this.#not = false;
    this.#keepColors();
    this.#forget();
  }

  #keepColors(): void {
    if (this.#brief.colors.length < 6) this.#brief.colors.push(...this.#colors);
    this.#colors = [];
  }

  #forget(): void {
    this.#count = null;
    this.#colors = [];
    this.#size = 1;
    this.#aloft = null;
    this.#not = false;
    this.#one = false;
  }
}

export function exclude(brief: Brief, meaning: Meaning): void {
  switch (meaning.is) {
    case 'thing': {
      // Other things keep their index, which relations use.
      for (const thing of brief.things) if (thing.kind === meaning.kind) thing.count = -1;
      return;
    }
    case 'place':
      brief.places.delete(meaning.place);
      return;
    case 'light':
      brief.lights.set(meaning.light, { count: 0, color: null, size: 1, word: '' });
      return;
    case 'weather':
      brief.weathers.delete(meaning.weather);
      return;
    case 'mood':
      brief.moods.delete(meaning.mood);
      return;
    case 'style':
      brief.styles.delete(meaning.style);
      return;
    case 'color':
      brief.colors = brief.colors.filter((color) => color !== meaning.color);
      for (const thing of brief.things) thing.colors = thing.colors.filter((color) => color !== meaning.color);
      return;
    default:
      return;
  }
}
