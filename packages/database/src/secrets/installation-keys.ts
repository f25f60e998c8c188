import { randomBytes } from 'node:crypto';
import type { SecretRepository } from './repository.ts';

type Secrets = Pick<SecretRepository, 'getOrCreate'>;

/**
 * The prefix of one kind of blobs in object storage: `<area>/<installation>/`.
 * The installation belongs to the database, so that platforms can share a bucket.
 */
export class InstallationKeys {
  readonly #area: string;
  readonly #secrets: Secrets;
  #prefix: Promise<string> | null = null;

  constructor(area: string, { secrets }: { secrets: Secrets }) {
    this.#area = area;
    this.#secrets = secrets;
  }

  /** @throws {ChorusError} store_unavailable */
  prefix(): Promise<string> {
    this.#prefix ??= this.#secrets.getOrCreate('installation', randomBytes(6).toString('hex')).then(
      (installation) => `${this.#area}/${installation}/`,
      (error) => {
        this.#prefix = null;
        throw error;
      },
    );
    return this.#prefix;
  }
}
