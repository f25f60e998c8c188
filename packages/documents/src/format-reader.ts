import type { BlockWriter } from './block-writer.ts';
import type { ParseEnd, ParseTask } from './parse-task.ts';

/** What a reader of one format finds out beside the blocks. */
export type Found = Partial<ParseEnd>;

/** Reads one file, in the child. @throws ChorusError for what the file is to blame for */
export type FormatReader = (task: ParseTask, writer: BlockWriter) => Promise<Found>;
