export { changeUnit, removeUnit } from './change-unit.ts';
export { type ArchiveParts, createUnit } from './create-unit.ts';
export { listUnits } from './list-units.ts';
export type { Snapshot } from './take-snapshot.ts';
export { unitHistory } from './unit-history.ts';
