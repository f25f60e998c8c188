import { lighter } from '../color.ts';
import type { Random } from '../random.ts';

/** What a thing is drawn with: it stands on (0, 0), upwards is negative, and 100 is its height, more or less. */
export interface Pencil {
  /** A colour as it looks in this light and at this distance. */
  ink(base: string): string;
  /** The same for what shines by itself. */
  glow(base: string): string;
  /** The colour that was asked for; null: its own. */
  color: string | null;
  /** A second one, if two were named. */
  second: string | null;
  /** Colours that fit the picture. */
  accents: readonly string[];
  /** The word that named it. */
  word: string;
  random: Random;
  t: number;
  /** Where the light comes from. */
  light: -1 | 1;
  night: boolean;
  white: boolean;
  season: string | null;
}

export type DrawThing = (pencil: Pencil) => string;

/** A colour with its lit and its shaded tone. */
export function tones(color: string): { base: string; lit: string; shade: string; dark: string } {
  return { base: color, lit: lighter(color, 0.22), shade: lighter(color, -0.2), dark: lighter(color, -0.42) };
}
