export { findTable, type Table } from './find-table.ts';
export { readingOrder } from './reading-order.ts';
export {
  type Box,
  boxAround,
  confidenceOf,
  joinTouching,
  median,
  type Row,
  type Segment,
  textOfRow,
  textOfSegment,
  toRow,
} from './row.ts';
export { toSegments } from './to-segments.ts';
