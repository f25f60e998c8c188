export type { Claims, Generation, Ingredient } from './claims.ts';
export { SIMILAR_RADIUS } from './hash-bands.ts';
export type { Generated, Ledger, Similar } from './ledger.ts';
export { openProvenance } from './open-provenance.ts';
export { createProvenance, type Finished, type Making, type Provenance, type Reading } from './provenance.ts';
