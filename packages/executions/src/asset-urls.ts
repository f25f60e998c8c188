import { createHmac, timingSafeEqual } from 'node:crypto';

export type AssetVariant = 'content' | 'thumbnail';

export interface AssetUrlsOptions {
  /** Signing key, shared by all processes. */
  secret: string;
  /** Public origin of the server, without a trailing slash. */
  baseUrl: string;
  /** Maximum lifetime of a URL. */
  ttlS: number;
}

/** The signature in a request, not verified yet. */
export interface UrlSignature {
  expires: unknown;
  signature: unknown;
}

/** URLs of an asset change this often per lifetime. In between they stay the same, so browsers can cache them. */
const STEPS_PER_TTL = 4;

/**
 * Signs and checks URLs that give access to an asset without a credential until they expire. Each is
 * bound to one asset and variant. Does not use a store.
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

  /** Returns a signer for another origin. Signatures do not depend on the origin. */
  at(baseUrl: string): AssetUrls {
    return new AssetUrls({ secret: this.#secret, baseUrl, ttlS: this.#ttlS });
  }

  /** @param now milliseconds since the epoch */
  sign(id: string, variant: AssetVariant, now = Date.now()): string {
    const step = Math.max(1, Math.floor(this.#ttlS / STEPS_PER_TTL));
    const expires = Math.floor((Math.floor(now / 1_000) + this.#ttlS) / step) * step;
    return `${this.#base}${id}/${variant}?expires=${expires}&signature=${this.#signatureOf(id, variant, expires)}`;
  }

  /** Returns the remaining seconds of a URL, or null if it is invalid or expired. */
  check(id: string, variant: AssetVariant, { expires, signature }: UrlSignature, now = Date.now()): number | null {
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
