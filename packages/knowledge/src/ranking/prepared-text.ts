import { type Language, LruCache, stemsOf } from '@chorus/search';
import { type Sentence, sentencesOf } from './sentences.ts';

export interface PreparedSentence {
  sentence: Sentence;
  terms: readonly string[];
  /** The same terms. */
  unique: ReadonlySet<string>;
}

/** About 2,000 chunks. */
const MAX_BYTES = 24 * 1024 * 1024;
const IDLE_MS = 300_000;
/** Memory of a prepared text, per character. */
const CHARACTER_BYTES = 12;

const prepared = new LruCache<string, readonly PreparedSentence[]>({ maxBytes: MAX_BYTES, idleMs: IDLE_MS });

/**
 * Returns a text's sentences with their terms in a language. Remembers those of recent texts, since most are found
 * again.
 */
export function preparedSentences(text: string, language: Language | null): readonly PreparedSentence[] {
  const key = `${language}|${text}`;
  const known = prepared.get(key);
  if (known !== undefined) return known;
  const sentences = sentencesOf(text).map((sentence) => {
    const terms = stemsOf(sentence.text, language);
    return { sentence, terms, unique: new Set(terms) };
  });
  prepared.set(key, sentences, text.length * CHARACTER_BYTES);
  return sentences;
}
