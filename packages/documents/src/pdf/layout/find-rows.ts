import type { Segment } from './row.ts';

/** Share of the lower segment's height that must overlap with its neighbor in a row. */
const LEVEL = 0.5;

/** Maximum number of segments in a row. No page for human readers has more. */
const MAX_COMPARED = 50;

interface OpenRow {
  segments: Segment[];
  bottom: number;
}

/** Number of rows above that may continue at a segment's height. */
const MAX_NEAR = 8;

/** Groups segments into rows from top to bottom. Slopes and offsets of columns matter only between neighbors. */
export function findRows(segments: readonly Segment[]): Segment[][] {
  const sorted = [...segments].sort((one, other) => middleOf(one) - middleOf(other));
  const rows: OpenRow[] = [];
  for (const segment of sorted) {
    const { y, height } = segment.box;
    const row =
      rows.slice(-MAX_NEAR).findLast(({ segments }) => isSameLine(segments, segment)) ??
      rows
        .slice(-MAX_NEAR)
        .findLast(({ segments, bottom }) => bottom > y && isLevel(nearest(segments, segment), segment));
    if (row === undefined) rows.push({ segments: [segment], bottom: y + height });
    else {
      row.segments.push(segment);
      row.bottom = Math.max(row.bottom, y + height);
    }
  }
  return rows.map((row) => row.segments);
}

export const middleOf = ({ box }: Pick<Segment, 'box'>): number => box.y + box.height / 2;

function isLevel({ box: one }: Segment, { box: other }: Segment): boolean {
  const shared = Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y);
  return shared > Math.min(one.height, other.height) * LEVEL;
}

const isSameLine = (segments: readonly Segment[], { line }: Segment): boolean =>
  line !== undefined && segments.slice(-MAX_COMPARED).some((other) => other.line === line);

function nearest(segments: readonly Segment[], { box }: Segment): Segment {
  let best = segments[0] as Segment;
  for (const segment of segments.slice(-MAX_COMPARED))
    if (distance(segment.box, box) < distance(best.box, box)) best = segment;
  return best;
}

const distance = (one: Segment['box'], other: Segment['box']): number =>
  Math.max(one.x - other.x - other.width, other.x - one.x - one.width);
