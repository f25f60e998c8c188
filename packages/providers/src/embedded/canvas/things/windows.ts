import { mix } from '../color.ts';
import { n } from '../geometry.ts';
import { line, rect } from '../stage.ts';
import type { Pencil } from './pencil.ts';

const GLASS = '#3b5268';

/** What is behind a window: light by night. */
export function pane({ ink, glow, night }: Pencil): string {
  return night ? glow('#ffd783') : mix(ink(GLASS), ink('#bfe0ee'), 0.35);
}

/** A window with its cross. */
export function casement(pencil: Pencil, x: number, y: number, w: number, h: number): string {
  const frame = pencil.ink('#f6efe2');
  return (
    rect(x - 1, y - 1, w + 2, h + 2, frame) +
    rect(x, y, w, h, pane(pencil)) +
    line(`M${n(x + w / 2)} ${n(y)}v${n(h)}M${n(x)} ${n(y + h / 2)}h${n(w)}`, frame, 1)
  );
}
