/** Held by a running call, and left exactly once. */
export interface Pass {
  answered(): void;
  succeeded(): void;
  /** Called when the provider failed, and the call ends. */
  failed(): void;
  leave(): void;
}

/** Decides before each call whether it runs now, waits for a slot or is refused. */
export interface ProviderGate {
  /**
   * Admits a call, synchronously if possible.
   *
   * @param maxWaitMs The longest wait for a slot.
   * @param user Waiting users take turns.
   * @throws ChorusError `provider_unavailable` while the provider is broken, `provider_rate_limited` if no slot
   * became free; the signal's reason
   */
  enter(signal: AbortSignal, maxWaitMs: number, user: string): Pass | Promise<Pass>;
}

const FREE: Pass = { answered() {}, succeeded() {}, failed() {}, leave() {} };

/** Admits everything. */
export const openGate: ProviderGate = { enter: () => FREE };
