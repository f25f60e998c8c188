/**
 * How long a call of a conversation waits for its provider. It is in no queue that could hold it for longer, and people
 * do not listen to silence for longer.
 */
export const MAX_WAIT_S = 10;
