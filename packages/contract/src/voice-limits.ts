/** What a voice turn is bounded by. */
export const VOICE_LIMITS = {
  /** The longest sound that is heard, in milliseconds. */
  audioMs: 600_000,
  /** A longer answer is spoken so far, in milliseconds. */
  spokenMs: 600_000,
  /** The longest text that is answered. */
  textCharacters: 32_000,
  /** How long a ticket for the socket is good, in milliseconds. */
  ticketMs: 60_000,
} as const;
