import { isId } from '@chorus/contract';
import { type Database, InstallationKeys } from '@chorus/database';

/**
 * Where what belongs to an entry lies in object storage: `knowledge/<installation>/<entry>/`. Its text under `text-<execution>`, and what was made of a revision under
 * `<revision>/`.
 */
export class KnowledgeKeys extends InstallationKeys {
  constructor(stores: { secrets: Pick<Database['secrets'], 'getOrCreate'> }) {
    super('knowledge', stores);
  }

  async ofEntry(entryId: string): Promise<string> {
    return `${await this.prefix()}${entryId}/`;
  }

  /** A text that an execution is to read. */
  async text(entryId: string, name: string): Promise<string> {
    return `${await this.ofEntry(entryId)}${name}`;
  }

  async ofRevision(entryId: string, revision: number): Promise<string> {
    return `${await this.ofEntry(entryId)}${revision}/`;
  }
}

/** The entry that a key belongs to; null: it is no entry's. */
export function entryOfKey(key: string): string | null {
  const id = key.split('/')[2] ?? '';
  return isId('knowledge', id) ? id : null;
}
