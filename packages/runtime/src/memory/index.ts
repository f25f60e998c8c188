export { collectGarbage } from './collect-garbage.ts';
export { releaseStartMemory } from './release-start-memory.ts';
