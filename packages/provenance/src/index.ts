export type { Claims, Generation, Ingredient } from './claims.ts';
export { SIMILAR_RADIUS } from './hash-bands.ts';
export type { Generated, Ledger, Similar } from './ledger.ts';
export {
  createProvenance,
  type Origin,
  openProvenance,
  type Provenance,
  type ReadResult,
  type SignResult,
} from './provenance.ts';
