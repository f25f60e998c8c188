/** What a voice socket is bounded by. Whatever is beyond is told, and ends that socket alone where it says so. */
export const REALTIME_LIMITS = {
  /** A larger frame ends the socket, in bytes. In base64 this is a minute of sound. */
  frameBytes: 4_194_304,
  /** Sound may come faster than it is spoken, as from a file: so far ahead. More ends the socket, in milliseconds. */
  aheadMs: 120_000,
  /** Sound that waits for its `commit`, in milliseconds; more is refused. */
  bufferMs: 300_000,
  /** Events that may come at once, and how many more in each second. More ends the socket. */
  eventBurst: 3_000,
  eventsPerSecond: 300,
  /** The same for their bytes. Sound takes 64,000 a second in base64. */
  byteBurst: 16_777_216,
  bytesPerSecond: 262_144,
  /** Events that can't be understood, until the socket is ended; one is forgiven in each second. */
  mistakes: 20,
  /** What is told and not taken by the client ends the socket beyond this, in bytes. */
  behindBytes: 4_194_304,
  /** A socket on which nothing but silence is heard for so long is ended, in milliseconds: a page that was forgotten holds no place for ever. */
  idleMs: 3_600_000,
  /** Items of a conversation that the client itself may add. */
  items: 1_000,
  /** The longest text of an item, and the longest instructions. */
  textCharacters: 32_000,
} as const;

/** How a socket is closed. 1000 to 1013 as RFC 6455 and its registry have them, 4000 and more are ours. */
export const REALTIME_CLOSE_CODES = {
  done: 1000,
  /** The process stops: connect again, with the same `session_id`. */
  goingAway: 1001,
  /** A frame that is no text, or no JSON, too often. */
  invalid: 1007,
  /** Beyond what a socket may do: too many events, too much sound. */
  tooMuch: 1008,
  tooLarge: 1009,
  internalError: 1011,
  /** What is sent is not taken. The session is as it was: connect again. */
  slow: 1013,
  /** The credential was revoked, has expired, or may not do this any more. */
  revoked: 4001,
  /** Another socket goes on with the session. */
  takenOver: 4002,
  /** Nothing was said for long. */
  idle: 4003,
} as const;
