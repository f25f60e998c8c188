export { findTexts, type TextSearchParts } from './find-texts.ts';
export { isRankCursor, rankCursor, rankOf } from './rank-cursor.ts';
export { TextIndexer, type TextIndexerParts } from './text-indexer.ts';
