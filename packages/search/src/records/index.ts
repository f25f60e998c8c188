export {
  findAnyWord,
  findEveryWord,
  findTexts,
  isRankCursor,
  rankCursor,
  rankOf,
  type TextSearchParts,
} from './find-texts.ts';
export { TextIndexer, type TextIndexerParts } from './text-indexer.ts';
