/** Whoever speaks for so long while they are spoken to means it, in milliseconds. */
export const INTERRUPTION_MS = 500;

/** What was shorter is judged by its words, if they are known so soon after it, in milliseconds; else the answer goes on. */
export const FALSE_ALARM_MS = 2_000;

/** What people say while they listen, and what models take a cough for. */
const LISTENING =
  /^(?:(?:u+[hm]+|h+m+|m+h?m+|m+|e+r+m*|a+h+|o+h+|uh[ -]?huh|mm[ -]?hmm?|yeah|yes|yep|ok(?:ay)?|right|sure|i see|hust|ja|genau|aha|oui|s[ií]|you|thank you)[\s.,!…-]*)+$/iu;

/** Whether something short that was said while an answer is spoken is meant to end it. */
export function isInterruption(transcript: string): boolean {
  return /[\p{L}\p{N}]/u.test(transcript) && !LISTENING.test(transcript.trim());
}
