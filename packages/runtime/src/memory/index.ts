export { releaseStartMemory } from './release-start-memory.ts';
