import { fileURLToPath } from 'node:url';
import type { Logger } from '@chorus/runtime/log';
import { ChildPool } from '@chorus/sandbox';
import type { ChildSettings, Task, TaskAnswers } from './page-tasks.ts';

const PROGRAM = fileURLToPath(new URL('./page-reader-main.ts', import.meta.url));

/** CPU limit of a child for its lifetime. It ends runaway native code even if the parent has died. */
const CPU_S = 1_200;
const RETIRED_AFTER = { tasks: 100, cpuMs: 600_000, memoryShare: 0.6 };

export interface PageChildOptions {
  settings: ChildSettings;
  memoryBytes: number;
  env: Record<string, string>;
}

export type PagePool = ChildPool<Task, TaskAnswers[Task['type']]>;

export function createPagePool(size: number, log: Logger, optionsOf: () => Promise<PageChildOptions>): PagePool {
  const child = async () => {
    const options = await optionsOf();
    // tesseract.js uses a thread.
    const isolates = options.settings.program === null ? 2 : 1;
    return { ...options, isolates, program: PROGRAM, cpuS: CPU_S, ownGroup: true, retiredAfter: RETIRED_AFTER };
  };
  return new ChildPool({ name: 'page reader', size, log, child });
}
