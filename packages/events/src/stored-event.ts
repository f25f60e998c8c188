import type { LogEvent } from '@chorus/contract';

/** An event with its number. */
export interface StoredEvent {
  seq: number;
  event: LogEvent;
}
