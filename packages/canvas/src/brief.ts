import type { Light, Mood, Place, Position, Relation, Season, Style, ThingKind, Time, Weather } from './vocabulary.ts';

export interface Thing {
  kind: ThingKind;
  /** The word in the prompt: a stag is a deer, but not a doe. */
  word: string;
  count: number;
  colors: string[];
  /** Factor by which the usual size is multiplied. */
  size: number;
  position: Position | null;
  /** Relation to another thing by its index. */
  relation: { how: Relation; other: number } | null;
}

export interface LightSpec {
  count: number;
  color: string | null;
  size: number;
  word: string;
}

export interface Brief {
  things: Thing[];
  places: Map<Place, string | null>;
  lights: Map<Light, LightSpec>;
  time: Time | null;
  weathers: Set<Weather>;
  season: Season | null;
  moods: Set<Mood>;
  styles: Set<Style>;
  /** Colors that do not belong to an object. */
  colors: string[];
  /** Quoted words, to be written in the picture. */
  lettering: string[];
  /** Words that were not understood. */
  unknown: string[];
  titled: boolean;
}
