import { isId } from '@chorus/contract';
import { type Database, InstallationKeys } from '@chorus/database';

/**
 * Object storage keys of an entry: `knowledge/<installation>/<entry>/`, then `text-<execution>` for its text
 * and `<revision>/` for derived files.
 */
export class KnowledgeKeys extends InstallationKeys {
  constructor(stores: { secrets: Pick<Database['secrets'], 'getOrCreate'> }) {
    super('knowledge', stores);
  }

  async ofEntry(entryId: string): Promise<string> {
    return `${await this.prefix()}${entryId}/`;
  }

  async text(entryId: string, name: string): Promise<string> {
    return `${await this.ofEntry(entryId)}${name}`;
  }

  async ofRevision(entryId: string, revision: number): Promise<string> {
    return `${await this.ofEntry(entryId)}${revision}/`;
  }
}

export function entryOfKey(key: string): string | null {
  const id = key.split('/')[2] ?? '';
  return isId('knowledge', id) ? id : null;
}
