import type { Place } from './handler.ts';

const ASK_EVERY_MS = 1_000;

export interface PlaceParts {
  isPlaceWanted: ((ranMs: number) => Promise<boolean>) | undefined;
  signal: AbortSignal;
  /** Stops the attempt by aborting its signal. */
  giveBack(): void;
}

/** Creates the port through which a handler gives its place to others. */
export function createPlace({ isPlaceWanted, signal, giveBack }: PlaceParts): Place {
  const began = performance.now();
  let askedAt = Number.NEGATIVE_INFINITY;
  return {
    isWanted: async (setupMs = 0) => {
      const now = performance.now();
      const ranMs = now - began;
      if (!isPlaceWanted || signal.aborted || ranMs < 2 * setupMs) return false;
      if (now - askedAt < ASK_EVERY_MS) return false;
      askedAt = now;
      // While Redis is down, no other job could start anyway.
      return isPlaceWanted(ranMs).catch(() => false);
    },
    giveBack: () => {
      giveBack();
      throw signal.reason;
    },
  };
}
