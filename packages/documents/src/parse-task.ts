import type { Block, DocumentLimits } from './documents.ts';
import type { Format } from './find-format.ts';

/** One file for a child. */
export interface ParseTask {
  path: string;
  format: Format;
  limits: DocumentLimits;
}

/** What it tells while it reads: what is said next, and how far it is. */
export interface ParsedPiece {
  blocks: Block[];
  done: number;
  total: number;
}

/** What is known of a document once it was read through. */
export interface ParseEnd {
  title: string | null;
  pageCount: number | null;
  /** Pages that only their pictures tell, in order. */
  pictures: number[];
  warnings: string[];
}
