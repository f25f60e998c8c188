import { serveTasks } from '@chorus/sandbox/child';
import { parseFile } from './parse-file.ts';
import type { ParsedPiece, ParseEnd, ParseTask } from './parse-task.ts';

// Entry point of the child process that opens untrusted files.
serveTasks<null, ParseTask, ParseEnd, ParsedPiece>(
  () => (task, send) => parseFile(task, (blocks, done, total, picture) => send({ blocks, done, total, picture })),
);
