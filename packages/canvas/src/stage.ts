import type { Brief } from './brief.ts';
import type { Look } from './look.ts';
import type { Random } from './random.ts';
import { type Defs, rect } from './svg.ts';

export interface Frame {
  width: number;
  height: number;
  horizon: number;
  /** A hundredth of the shorter side. */
  u: number;
  /** Extra width on both sides for a moving camera. */
  margin: number;
}

/** Drawings at one distance. Near ones move more with the camera. */
export interface Layer {
  /** 0 is at the camera, 1 infinitely far. */
  distance: number;
  svg: string;
}

export interface Stage {
  brief: Brief;
  look: Look;
  frame: Frame;
  random: Random;
  t: number;
  defs: Defs;
}

/** A rectangle across the picture, including the extra width for a moving camera. */
export function fullWidth({ width, margin }: Frame, y: number, height: number, fill: string, more = ''): string {
  return rect(-margin, y, width + 2 * margin, height, fill, more);
}
