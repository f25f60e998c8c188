import { serveTasks } from '@chorus/sandbox';
import { parseFile } from './parse-file.ts';
import type { ParsedPiece, ParseEnd, ParseTask } from './parse-task.ts';

// The process that opens files of strangers and tells what they say.
serveTasks<null, ParseTask, ParseEnd, ParsedPiece>(
  () => (task, tell) => parseFile(task, (blocks, done, total) => tell({ blocks, done, total })),
);
