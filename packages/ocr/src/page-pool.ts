import { fileURLToPath } from 'node:url';
import type { Logger } from '@chorus/log';
import { ChildPool } from '@chorus/sandbox';
import type { ChildSettings, Task, TaskAnswers } from './page-tasks.ts';

const PROGRAM = fileURLToPath(new URL('./page-reader-main.ts', import.meta.url));

/** Of computing in all the life of a child, in seconds: what runs on natively is ended even when nobody is left to end it. */
const CPU_S = 1_200;
const RETIRED_AFTER = { tasks: 500, cpuMs: 600_000, memoryShare: 0.6 };

export interface PageChildOptions {
  settings: ChildSettings;
  memoryBytes: number;
  env: Record<string, string>;
}

export type PagePool = ChildPool<Task, TaskAnswers[Task['type']]>;

/** Children that read pages, each of which computes on one core. What they start ends with them. */
export function createPagePool(size: number, log: Logger, optionsOf: () => Promise<PageChildOptions>): PagePool {
  const child = async () => ({
    ...(await optionsOf()),
    program: PROGRAM,
    cpuS: CPU_S,
    ownGroup: true,
    retiredAfter: RETIRED_AFTER,
  });
  return new ChildPool({ name: 'a reader of pages', size, log, child });
}
