import type { LogEvent } from '@chorus/contract';

/** An event with its number. */
export interface StoredEvent {
  seq: number;
  event: LogEvent;
  /**
   * More events follow that only together with this one say what a trimmed log held: nobody may come back by this number, so
   * clients must not be told to keep it.
   */
  partial?: boolean;
}
