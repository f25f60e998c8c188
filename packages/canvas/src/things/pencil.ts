import { lighten } from '../color.ts';
import type { Random } from '../random.ts';

/** Draws a thing with its base at (0, 0) and about 100 high; up is negative. */
export interface Pencil {
  ink(base: string): string;
  glow(base: string): string;
  color: string | null;
  second: string | null;
  accents: readonly string[];
  word: string;
  random: Random;
  t: number;
  light: -1 | 1;
  night: boolean;
  white: boolean;
  season: string | null;
}

export type DrawThing = (pencil: Pencil) => string;

/** Returns a color with lighter and darker tones. */
export function tones(color: string): { base: string; lit: string; shade: string; dark: string } {
  return { base: color, lit: lighten(color, 0.22), shade: lighten(color, -0.2), dark: lighten(color, -0.42) };
}
