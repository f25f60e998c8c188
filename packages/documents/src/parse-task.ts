import type { BlockWriter } from './block-writer.ts';
import type { DocumentLimits } from './documents.ts';
import type { Format } from './find-format.ts';
import type { Package } from './package/open-package.ts';
import type { EmbeddedPicture, MarkedBlock } from './pictures/marked-block.ts';

export interface ParseTask {
  path: string;
  /** The content of a short text. If set, `path` is not read. */
  bytes?: Uint8Array;
  format: Format;
  limits: DocumentLimits;
}

export interface ParsedPiece {
  blocks: MarkedBlock[];
  picture?: EmbeddedPicture | undefined;
  done: number;
  total: number;
}

export interface ParseEnd {
  title: string | null;
  pageCount: number | null;
  /** Pages that need OCR. */
  pictures: number[];
  warnings: string[];
}

export type Found = Partial<ParseEnd>;

export type FormatReader = (task: ParseTask, writer: BlockWriter) => Promise<Found>;

export interface PackedDocument {
  packed: Package;
  part: string;
  limits: ParseTask['limits'];
  writer: BlockWriter;
}

export type PackageReader = (document: PackedDocument) => Promise<Found>;
