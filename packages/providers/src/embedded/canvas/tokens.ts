import { MAX_PHRASE, type Meaning, meaningOf } from './vocabulary.ts';

/** So many words are read; what comes after them still changes the picture, as all of the text does. */
const MAX_WORDS = 500;
const WORD = /\d+|[\p{L}&][\p{L}\p{M}&'’-]*|[,.;:!?]/gu;

/** A word or a few, and what they say. */
export interface Token {
  words: string;
  meaning: Meaning | null;
  plural: boolean;
}

/** The words of a text, as many together as the vocabulary knows; marks of punctuation stand alone. */
export function tokensOf(text: string): Token[] {
  const words = (text.toLowerCase().match(WORD) ?? [])
    .slice(0, MAX_WORDS)
    .map((word) => word.replaceAll('’', "'").replace(/'s$/, ''));
  const tokens: Token[] = [];
  for (let at = 0; at < words.length; ) {
    let taken = 0;
    for (let length = Math.min(MAX_PHRASE, words.length - at); length > 0 && taken === 0; length -= 1) {
      const phrase = words.slice(at, at + length).join(' ');
      const found = meaningOf(phrase);
      if (!found) continue;
      tokens.push(found);
      taken = length;
    }
    if (taken === 0) tokens.push({ words: words[at] as string, meaning: null, plural: false });
    at += Math.max(1, taken);
  }
  return tokens;
}
