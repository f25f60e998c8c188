import type { ProviderStatus } from './provider-port.ts';

/** How long the outcome of a call says something of the provider, in milliseconds. */
const REMEMBERED_MS = 5 * 60_000;

/** A provider's state by the outcome of its last call; where none is recent, by its list of models. */
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
