/** Limits of a voice turn. */
export const VOICE_LIMITS = {
  /** Maximum length of the user's audio. */
  audioMs: 600_000,
  /** Longer answers are cut off at this length. */
  spokenMs: 600_000,
  /** Maximum length of the user's text. */
  textCharacters: 32_000,
  /** How long a ticket for the socket is valid. */
  ticketMs: 60_000,
} as const;

/** Limits of speech from text. */
export const SPEECH_LIMITS = {
  /** The same limit as OpenAI's. */
  textCharacters: 4_096,
  instructionCharacters: 4_096,
  /** Longer speech is cut off at this length. */
  spokenMs: 1_500_000,
} as const;

/** Limits of a transcription. */
export const TRANSCRIPTION_LIMITS = {
  audioMs: 7_200_000,
} as const;
