export { assetFactsOf } from './asset-facts.ts';
export type * from './assets.ts';
