import type { RealtimeEventData } from '@chorus/contract';

/** Sends events to a client over any transport. */
export interface Link {
  /** Has no effect once the socket is closed. */
  send(news: RealtimeEventData): void;
  /** Bytes sent but not yet read by the client. */
  readonly behindBytes: number;
  /** @param reason at most 120 characters, shown to the client */
  close(code: number, reason: string): void;
}
