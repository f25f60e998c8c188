export { type BoundedChild, type ChildLimits, startBoundedChild } from './bounded-child.ts';
export { ChildPool, type CpuBudget, CpuTimeout, cpuBudget, TaskTimeout } from './child-pool.ts';
export { cpuMsFor } from './cpu-ms-for.ts';
export { type LendSource, type LentFile, lendFile, lendFolder } from './lend-file.ts';
export { secureChildren } from './secure-children.ts';
export { serveTasks } from './serve-tasks.ts';
export { ChildGone } from './task-child.ts';
export { type TurnLimits, Turns } from './turns.ts';
