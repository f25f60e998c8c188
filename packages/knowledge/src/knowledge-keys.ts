import { randomBytes } from 'node:crypto';
import { isId } from '@chorus/contract';
import type { Database } from '@chorus/database';

/**
 * Where what belongs to an entry lies in object storage: `knowledge/<installation>/<entry>/`. Its text under `text-<execution>`, and what was made of a revision under
 * `<revision>/`. The installation is a word that belongs to the database, so that no sweep touches what another platform keeps in the same bucket.
 */
export class KnowledgeKeys {
  readonly #secrets: Pick<Database['secrets'], 'getOrCreate'>;
  #prefix: Promise<string> | null = null;

  constructor({ secrets }: { secrets: Pick<Database['secrets'], 'getOrCreate'> }) {
    this.#secrets = secrets;
  }

  /** Of all entries. @throws {ChorusError} store_unavailable */
  prefix(): Promise<string> {
    this.#prefix ??= this.#secrets.getOrCreate('installation', randomBytes(6).toString('hex')).then(
      (installation) => `knowledge/${installation}/`,
      (error) => {
        this.#prefix = null;
        throw error;
      },
    );
    return this.#prefix;
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
