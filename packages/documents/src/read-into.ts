import { BlockWriter, type SendBlocks } from './block-writer.ts';
import type { FormatReader, ParseEnd, ParseTask } from './parse-task.ts';

/** Reads a file with the reader of its format. @throws {ChorusError} for problems of the file */
export async function readInto(send: SendBlocks, task: ParseTask, read: FormatReader): Promise<ParseEnd> {
  const writer = new BlockWriter(send, task.limits.characters);
  const { title = null, pageCount = null, pictures = [], warnings = [] } = await read(task, writer);
  await writer.flush();
  return { title: titleOf(title), pageCount, pictures, warnings };
}

const titleOf = (title: string | null) => title?.replace(/\s+/g, ' ').trim().slice(0, 300) || null;
