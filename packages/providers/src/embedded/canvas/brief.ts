import type { Light, Mood, Place, Position, Relation, Season, Style, ThingKind, Time, Weather } from './vocabulary.ts';

/** What a prompt asks to be drawn as a thing of its own. */
export interface Thing {
  kind: ThingKind;
  /** The word that named it: a stag is a deer, and yet no doe. */
  word: string;
  count: number;
  colors: string[];
  /** Times its usual size. */
  size: number;
  position: Position | null;
  /** Where it is to another thing, by its place in the list. */
  relation: { how: Relation; other: number } | null;
}

export interface LightWish {
  count: number;
  color: string | null;
  size: number;
  word: string;
}

/** What was read out of a prompt. */
export interface Brief {
  things: Thing[];
  places: Map<Place, string | null>;
  lights: Map<Light, LightWish>;
  time: Time | null;
  weathers: Set<Weather>;
  season: Season | null;
  moods: Set<Mood>;
  styles: Set<Style>;
  /** Those that belong to nothing in particular. */
  colors: string[];
  /** What stood in quotation marks: it is written in the picture. */
  lettering: string[];
  /** Words that say nothing here. */
  unknown: string[];
  /** Whether words are wanted at all. */
  titled: boolean;
}
