/** Speech longer than this interrupts an answer. */
export const INTERRUPTION_MS = 500;

/** Time to transcribe shorter speech and judge its words; after that the answer resumes. */
export const JUDGE_WITHIN_MS = 2_000;

/** Words that listeners say, or that models hear in a cough. */
const BACKCHANNEL =
  /^(?:(?:u+[hm]+|h+m+|m+h?m+|m+|e+r+m*|a+h+|o+h+|uh[ -]?huh|mm[ -]?hmm?|yeah|yes|yep|ok(?:ay)?|right|sure|i see|hust|ja|genau|aha|oui|s[ií]|you|thank you)[\s.,!…-]*)+$/iu;

/** Returns whether a short utterance during an answer is meant to interrupt it. */
export function isInterruption(transcript: string): boolean {
  return /[\p{L}\p{N}]/u.test(transcript) && !BACKCHANNEL.test(transcript.trim());
}
