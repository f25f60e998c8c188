import type { ErrorCode } from '@chorus/contract';
import type { Block, DocumentLimits } from '../documents.ts';
import type { Format } from '../find-format.ts';

/** One file for a child. */
export interface ParseTask {
  path: string;
  format: Format;
  limits: DocumentLimits;
}

/** What is known of a document once it was read through. */
export interface ParseEnd {
  title: string | null;
  pageCount: number | null;
  /** Pages that only their pictures tell, in order. */
  pictures: number[];
  warnings: string[];
}

export type FromChild =
  | { type: 'ready' }
  /** What is said next, and how far it is. */
  | { type: 'blocks'; blocks: Block[]; done: number; total: number }
  | ({ type: 'done' } & ParseEnd & Used)
  | ({ type: 'failed'; code: ErrorCode; message: string } & Used)
  /** A mistake of ours, not of the file: nothing for users' eyes. */
  | ({ type: 'broken'; stack: string } & Used);

/** What the child has used so far: computing in milliseconds, memory in bytes. */
export interface Used {
  cpuMs: number;
  memoryBytes: number;
}
