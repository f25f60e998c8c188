import type { BlockWriter } from '../block-writer.ts';
import type { Found } from '../format-reader.ts';
import type { ParseTask } from '../parse-task.ts';
import type { Package } from './open-package.ts';

/** One file within an archive, on its way. */
export interface PackedDocument {
  packed: Package;
  /** Its main part. */
  part: string;
  limits: ParseTask['limits'];
  writer: BlockWriter;
}

export type PackageReader = (document: PackedDocument) => Promise<Found>;
