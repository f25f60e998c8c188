/** Tokens per character of ASCII, of other alphabets, and of scripts whose characters are words or syllables. */
const ASCII = 0.25;
const ALPHABETS = 0.4;
const SIGNS = 0.8;
const FIRST_SIGN = 0x2e80;

/** Estimates the tokens of a text for a typical model, since no tokenizer fits them all. */
export function countTokens(text: string, start = 0, end = text.length): number {
  let ascii = 0;
  let signs = 0;
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x80) ascii += 1;
    else if (code >= FIRST_SIGN) signs += 1;
  }
  return ascii * ASCII + signs * SIGNS + (end - start - ascii - signs) * ALPHABETS;
}

export function tokensOf(code: number): number {
  if (code < 0x80) return ASCII;
  return code >= FIRST_SIGN ? SIGNS : ALPHABETS;
}
