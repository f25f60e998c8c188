import { randomBytes } from 'node:crypto';
import { isId } from '@chorus/contract';
import type { Database } from '@chorus/database';

/**
 * Where the bytes of assets lie: `assets/<installation>/<id>/content`, and `…/thumbnail` beside it. The installation is a word that belongs to the database: a
 * platform that begins anew, or shares a bucket with another one, finds only its own, and sweeps nothing else away.
 */
export class AssetKeys {
  readonly #secrets: Pick<Database['secrets'], 'getOrCreate'>;
  #prefix: Promise<string> | null = null;

  constructor({ secrets }: { secrets: Pick<Database['secrets'], 'getOrCreate'> }) {
    this.#secrets = secrets;
  }

  /** @throws {ChorusError} store_unavailable */
  prefix(): Promise<string> {
    this.#prefix ??= this.#secrets.getOrCreate('installation', randomBytes(6).toString('hex')).then(
      (installation) => `assets/${installation}/`,
      (error) => {
        this.#prefix = null;
        throw error;
      },
    );
    return this.#prefix;
  }

  async content(id: string): Promise<string> {
    return `${await this.prefix()}${id}/content`;
  }

  async thumbnail(id: string): Promise<string> {
    return `${await this.prefix()}${id}/thumbnail`;
  }

  async all(id: string): Promise<string[]> {
    return [await this.content(id), await this.thumbnail(id)];
  }
}

/** The asset that a key belongs to; null: it is no asset's. */
export function assetOfKey(key: string): string | null {
  const id = key.split('/').at(-2) ?? '';
  return isId('asset', id) ? id : null;
}
