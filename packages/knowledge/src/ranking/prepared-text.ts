import { type Language, LruCache, stemsOf } from '@chorus/search';
import { type Sentence, sentencesOf } from './sentences.ts';

export interface PreparedSentence {
  sentence: Sentence;
  terms: readonly string[];
  /** The same terms. */
  unique: ReadonlySet<string>;
}

export interface PreparedText {
  sentences: readonly PreparedSentence[];
  /** The terms of all sentences. */
  terms: ReadonlySet<string>;
}

/** Size of the cache: about 1,800 chunks. */
const MAX_BYTES = 24 * 1024 * 1024;
const IDLE_MS = 300_000;
/** Memory of a prepared text, per character. */
const CHARACTER_BYTES = 14;

const prepared = new LruCache<string, PreparedText>({ maxBytes: MAX_BYTES, idleMs: IDLE_MS });

/**
 * Returns a text's sentences with their terms in a language. Caches recent texts, since most are found again.
 */
export function preparedText(text: string, language: Language | null): PreparedText {
  const key = `${language}|${text}`;
  const known = prepared.get(key);
  if (known !== undefined) return known;
  const sentences = sentencesOf(text).map((sentence) => {
    const terms = stemsOf(sentence.text, language);
    return { sentence, terms, unique: new Set(terms) };
  });
  const whole = { sentences, terms: new Set(sentences.flatMap(({ terms }) => terms)) };
  prepared.set(key, whole, text.length * CHARACTER_BYTES);
  return whole;
}
