export interface CallOptions {
  /** Ends the call: the connection to the provider closes at once, and the signal's reason is thrown. */
  signal: AbortSignal;
  /** For the log alone. */
  executionId: string;
  /** Whose call it is: users who wait for the same provider or engine take turns. Absent: the execution's. */
  user?: string;
  /** When the work ends anyway, by `performance.now()`: no pause before another try reaches beyond it. */
  endsAt?: number;
  /**
   * The longest wait, in seconds, for a free place at the provider or for the pause that it asks for, before the call is given up. Absent: as
   * long as is usual for each.
   */
  maxWaitS?: number;
}
