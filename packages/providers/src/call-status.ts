import type { ProviderStatus } from './provider-port.ts';

/** How long the outcome of a call counts as the provider's status. */
const REMEMBERED_MS = 5 * 60_000;

/** Tracks a provider's status: from its last call or, without a recent one, from its model list. */
export class CallStatus {
  #call: { ok: boolean; at: number } | null = null;
  #listing: { ok: boolean; at: number } | null = null;

  called(ok: boolean, now = Date.now()): void {
    this.#call = { ok, at: now };
  }

  listed(ok: boolean, now = Date.now()): void {
    this.#listing = { ok, at: now };
  }

  current(now = Date.now()): ProviderStatus {
    for (const outcome of [this.#call, this.#listing])
      if (outcome !== null && now - outcome.at < REMEMBERED_MS) return outcome.ok ? 'ok' : 'failing';
    return 'unknown';
  }
}
