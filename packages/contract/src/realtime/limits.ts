/** Limits of a voice socket. A client that exceeds one gets an error, and is disconnected where noted. */
export const REALTIME_LIMITS = {
  /** Size of a frame, about a minute of base64 audio. Larger ones disconnect. */
  frameBytes: 4_194_304,
  /** How far audio may run ahead of real time, as from a file. More disconnects. */
  aheadMs: 120_000,
  /** Uncommitted audio. More is refused. */
  bufferMs: 300_000,
  /** Events at once, and per second. More disconnects. */
  eventBurst: 3_000,
  eventsPerSecond: 300,
  /** Bytes at once, and per second. More disconnects. Base64 audio takes 64,000 a second. */
  byteBurst: 16_777_216,
  bytesPerSecond: 262_144,
  /** Invalid events before a disconnect. One per second is forgiven. */
  mistakes: 20,
  /** Unread output. More disconnects. */
  behindBytes: 4_194_304,
  /** Maximum silence. More disconnects, so that forgotten tabs do not hold a connection. */
  idleMs: 3_600_000,
  /** Items that the client may add to a conversation. */
  items: 1_000,
  /** Length of an item's text, and of instructions. */
  textCharacters: 32_000,
} as const;

/** Close codes. 1000 to 1013 are registered (RFC 6455), 4000 and above are ours. */
export const REALTIME_CLOSE_CODES = {
  done: 1000,
  /** The process stops. Reconnect with the same `session_id`. */
  goingAway: 1001,
  /** Too many frames that are not JSON text. */
  invalid: 1007,
  /** Limits exceeded: too many events, too much audio. */
  tooMuch: 1008,
  tooLarge: 1009,
  internalError: 1011,
  /** The client reads too slowly. The session is unchanged; reconnect. */
  slow: 1013,
  /** The credential was revoked, has expired, or lost its rights. */
  revoked: 4001,
  /** Another socket continues the session. */
  takenOver: 4002,
  /** No speech for a long time. */
  idle: 4003,
} as const;
