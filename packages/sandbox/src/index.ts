export { type ChildLimits, startBoundedChild } from './bounded-child.ts';
export { ChildPool, TaskTimeout } from './child-pool.ts';
export { serveTasks } from './serve-tasks.ts';
export { ChildGone } from './task-child.ts';
