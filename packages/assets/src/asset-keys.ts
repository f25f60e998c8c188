import { isId } from '@chorus/contract';
import { type Database, InstallationKeys } from '@chorus/database';

/** Keys of asset bytes: `assets/<installation>/<id>/content` and `…/thumbnail`. */
export class AssetKeys extends InstallationKeys {
  constructor(stores: { secrets: Pick<Database['secrets'], 'getOrCreate'> }) {
    super('assets', stores);
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

/** Returns the asset of a key, or null if it belongs to none. */
export function assetOfKey(key: string): string | null {
  const id = key.split('/').at(-2) ?? '';
  return isId('asset', id) ? id : null;
}
