// Finds and ranks passages for answers. Only the text worker loads it.

export { type AnswerPart, extractAnswer } from '../ranking/extract-answer.ts';
export { fusionWeight } from '../ranking/fusion-weight.ts';
export { candidatesFor, rerank } from '../ranking/rerank.ts';
export { type Sentence, sentencesOf } from '../ranking/sentences.ts';
export { type FenceOptions, fenceSources } from './fence-sources.ts';
export {
  type FoundPassages,
  findPassages,
  type Passage,
  type PassageParts,
  type PassageQuery,
} from './find-passages.ts';
export { keepSearchReady } from './keep-search-ready.ts';
export { readDocument } from './read-document.ts';
export { searchTextFor } from './search-text.ts';
