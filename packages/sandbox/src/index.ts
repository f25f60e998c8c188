export { type BoundedChild, type ChildLimits, startBoundedChild } from './bounded-child.ts';
export { ChildPool, type CpuBudget, CpuTimeout, cpuBudget, PoolClosed, TaskTimeout } from './child-pool.ts';
export { type LendSource, type LentFile, lendFile, lendFolder } from './lend-file.ts';
export { cpuMsFor } from './process-usage.ts';
export { findProgram, secureChildren } from './protection.ts';
export { ChildGone, OutOfMemory } from './task-child.ts';
export { type TurnLimits, Turns } from './turns.ts';
