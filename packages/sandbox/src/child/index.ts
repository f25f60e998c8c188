// Code that runs inside a child. Loads nothing else, so that children start fast.
export { openParentChannel } from './channel.ts';
export { isOutOfMemory, serveTasks } from './serve-tasks.ts';
