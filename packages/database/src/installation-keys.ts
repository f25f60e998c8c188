import { randomBytes } from 'node:crypto';
import type { SecretRepository } from './repositories.ts';

/**
 * Where one kind of blobs lies in object storage: `<area>/<installation>/`. The installation is a word that belongs to the database: a platform
 * that begins anew, or shares a bucket with another one, finds only its own, and sweeps nothing else away.
 */
export class InstallationKeys {
  readonly #area: string;
  readonly #secrets: Pick<SecretRepository, 'getOrCreate'>;
  #prefix: Promise<string> | null = null;

  constructor(area: string, { secrets }: { secrets: Pick<SecretRepository, 'getOrCreate'> }) {
    this.#area = area;
    this.#secrets = secrets;
  }

  /** Of all keys of the area. @throws {ChorusError} store_unavailable */
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
