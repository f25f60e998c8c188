import type { RealtimeNews } from '@chorus/contract';

/** The way to a client, whatever its transport. */
export interface Link {
  /** Tells something; once the socket is closed, nothing happens. */
  send(news: RealtimeNews): void;
  /** What was told and not taken by the client yet, in bytes. */
  readonly behindBytes: number;
  /** @param reason at most 120 characters, for the client's eyes */
  close(code: number, reason: string): void;
}
