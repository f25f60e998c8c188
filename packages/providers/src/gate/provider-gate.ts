/** What one call holds while it runs. Every pass is left exactly once, whatever becomes of the call. */
export interface Pass {
  /** The provider has begun to answer. */
  answered(): void;
  succeeded(): void;
  /** The provider is in trouble, and this call is given up. */
  failed(): void;
  leave(): void;
}

/** Before each call to a provider: whether it may go now, must wait for a free place, or is better not made. */
export interface ProviderGate {
  /**
   * At once where nothing has to be asked for.
   * @param maxWaitMs how long a place may be waited for
   * @param user whose call it is: users who wait take turns
   * @throws ChorusError `provider_error` while the provider is broken, `provider_rate_limited` where no place became free; the signal's reason
   */
  enter(signal: AbortSignal, maxWaitMs: number, user: string): Pass | Promise<Pass>;
}

const FREE: Pass = { answered() {}, succeeded() {}, failed() {}, leave() {} };

/** Lets everything through. */
export const openGate: ProviderGate = { enter: () => FREE };
