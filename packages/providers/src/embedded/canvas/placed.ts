import type { Thing } from './brief.ts';
import type { Zone } from './things/kinds.ts';

/** One thing at its place. */
export interface Placed {
  thing: Thing;
  /** Which of several of its kind. */
  index: number;
  x: number;
  /** Where it stands. */
  y: number;
  /** Its height, in pixels. */
  tall: number;
  wide: number;
  /** 0 near … 1 far. */
  distance: number;
  zone: Zone;
  flipped: boolean;
  /** In somebody's hand: it casts no shadow of its own. */
  held?: boolean;
  /** Things that stand on others come after them, whatever their height. */
  order: number;
}
