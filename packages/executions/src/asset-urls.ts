import { createHmac, timingSafeEqual } from 'node:crypto';

/** What can be had of an asset by an address. */
export type AssetVariant = 'content' | 'thumbnail';

export interface AssetUrlsOptions {
  /** Signs the addresses; all processes have the same one. */
  secret: string;
  /** Origin of the server as clients reach it, without a trailing slash. */
  baseUrl: string;
  /** How long an address is good at most, in seconds. */
  ttlS: number;
}

/** A signature as it came with a request, unchecked. */
export interface GivenSignature {
  expires: unknown;
  signature: unknown;
}

/** Within this part of their time addresses of one asset are the same, so that browsers keep what they have loaded by them. */
const STEADY_PART = 4;

/**
 * Signs the addresses of assets, by which their bytes can be had without a credential until they expire. A signature is bound to asset and variant. Makes and
 * checks them without a look at any store.
 */
export class AssetUrls {
  readonly #secret: string;
  readonly #base: string;
  readonly #ttlS: number;

  constructor({ secret, baseUrl, ttlS }: AssetUrlsOptions) {
    this.#secret = secret;
    this.#base = `${baseUrl}/api/v1/assets/`;
    this.#ttlS = ttlS;
  }

  /** Returns a signer for the same assets at another origin. Signatures do not depend on the origin. */
  at(baseUrl: string): AssetUrls {
    return new AssetUrls({ secret: this.#secret, baseUrl, ttlS: this.#ttlS });
  }

  /** @param now milliseconds since the epoch */
  sign(id: string, variant: AssetVariant, now = Date.now()): string {
    const step = Math.max(1, Math.floor(this.#ttlS / STEADY_PART));
    const expires = Math.floor((Math.floor(now / 1_000) + this.#ttlS) / step) * step;
    return `${this.#base}${id}/${variant}?expires=${expires}&signature=${this.#signatureOf(id, variant, expires)}`;
  }

  /** How many seconds the address is still good; null: it never was, or is no more. */
  check(id: string, variant: AssetVariant, { expires, signature }: GivenSignature, now = Date.now()): number | null {
    if (typeof expires !== 'string' || !/^\d{1,12}$/.test(expires) || typeof signature !== 'string') return null;
    const wanted = Buffer.from(this.#signatureOf(id, variant, Number(expires)));
    const given = Buffer.from(signature);
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return null;
    const leftS = Number(expires) - now / 1_000;
    return leftS > 0 ? leftS : null;
  }

  #signatureOf(id: string, variant: AssetVariant, expires: number): string {
    return createHmac('sha256', this.#secret).update(`${variant}\n${id}\n${expires}`).digest('base64url');
  }
}
