import type { GivenImage } from '../../provider-port.ts';
import type { Moment, PictureWish } from './picture.ts';

/** What a rendering thread is asked for, and what it gives. */
export interface RenderTasks {
  /** A PNG; the colours of `references` take the place of the palette. */
  picture: { ask: { wish: PictureWish; moment?: Moment; references: readonly GivenImage[] }; gives: Uint8Array };
  /** A frame of a video: planes of Y, U and V (I420). */
  frame: { ask: { wish: PictureWish; moment: Moment }; gives: Uint8Array };
  palette: { ask: { images: readonly GivenImage[] }; gives: string[] };
  backdrop: { ask: { image: GivenImage; width: number; height: number }; gives: string };
}
export type RenderTask = keyof RenderTasks;

export type ToRenderer = { [T in RenderTask]: { task: T; ask: RenderTasks[T]['ask'] } }[RenderTask];

/** `refused`: it can't be done so; else something went wrong. */
export type FromRenderer = { gives: RenderTasks[RenderTask]['gives'] } | { failed: string; refused: boolean };
