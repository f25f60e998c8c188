import { isSealed, type SecretBox } from '@chorus/secrets';
import type { Db, Filter } from 'mongodb';
import { fromStore } from '../store-errors.ts';

type StoredDocument = Record<string, unknown> & { _id: string };

interface SealedField {
  collection: string;
  /** Path of the value in its document, through arrays. */
  path: string;
  /** Ids of documents whose value is not secret. */
  plain?: readonly string[];
}

/** The record in the collection of secrets that identifies the store's key. */
export const KEY_RECORD = 'secret_key';

/** Values in the collection of secrets that stay plain, because files cannot be found without them. */
export const PLAIN_SECRETS: readonly string[] = ['installation'];

/** All encrypted fields. Encryption at start, key rotation and reset use this list. */
const SEALED_FIELDS: readonly SealedField[] = [
  { collection: 'signing_keys', path: 'private_jwk' },
  { collection: 'secrets', path: 'value', plain: PLAIN_SECRETS },
  { collection: 'webhook_secrets', path: 'secret' },
  { collection: 'webhook_secrets', path: 'previous.secret' },
  { collection: 'totp_factors', path: 'secret' },
  { collection: 'mcp_servers', path: 'headers' },
  { collection: 'tool_apis', path: 'credentials' },
  { collection: 'provider_keys', path: 'api_key' },
];

/** Binds a sealed value to its collection, document and field. */
export function sealContext(collection: string, id: string, name: string): string {
  return `${collection}/${id}/${name}`;
}

/** Encrypts plain and older values with the current key. Returns how many, and how many were plain. */
export async function sealAll(db: Db, box: SecretBox): Promise<{ sealed: number; plain: number }> {
  const counts = { sealed: 0, plain: 0 };
  for (const field of SEALED_FIELDS) {
    const collection = db.collection<StoredDocument>(field.collection);
    const [first = ''] = field.path.split('.');
    const name = field.path.slice(field.path.lastIndexOf('.') + 1);
    const found = collection.find(filterOf(field, KEY_RECORD)).project<StoredDocument>({ [first]: 1 });
    for (const { _id, ...document } of await fromStore(found.toArray())) {
      for (const [path, value] of valuesAt(document, field.path.split('.'))) {
        if (value === null || value === undefined || box.isCurrent(value)) continue;
        const context = sealContext(field.collection, _id, name);
        const sealed = box.seal(context, plainOf(box, context, value));
        // A concurrent change has sealed the new value.
        const unchanged = { _id, [path]: value } as Filter<StoredDocument>;
        const { modifiedCount } = await fromStore(collection.updateOne(unchanged, { $set: { [path]: sealed } }));
        counts.sealed += modifiedCount;
        if (!isSealed(value)) counts.plain += modifiedCount;
      }
    }
  }
  return counts;
}

/** Returns whether a store has secrets, plain or encrypted. */
export async function hasSecrets(db: Db): Promise<boolean> {
  for (const field of SEALED_FIELDS) {
    const found = db.collection<StoredDocument>(field.collection).findOne(filterOf(field), { projection: { _id: 1 } });
    if ((await fromStore(found)) !== null) return true;
  }
  return false;
}

/** Deletes all documents with sealed values, for a lost key. Returns how many. */
export async function removeSealed(db: Db): Promise<number> {
  let count = 0;
  for (const field of SEALED_FIELDS) {
    const deleting = db.collection<StoredDocument>(field.collection).deleteMany(filterOf(field));
    count += (await fromStore(deleting)).deletedCount;
  }
  return count;
}

function filterOf({ path, plain = [] }: SealedField, ...alsoPlain: string[]): Filter<StoredDocument> {
  return { [path]: { $exists: true }, _id: { $nin: [...plain, ...alsoPlain] } } as Filter<StoredDocument>;
}

/** Returns the values at a path with their exact paths. */
function valuesAt(
  value: unknown,
  path: readonly string[],
  at: readonly string[] = [],
): [path: string, value: unknown][] {
  if (Array.isArray(value)) return value.flatMap((item, index) => valuesAt(item, path, [...at, String(index)]));
  const [name, ...rest] = path;
  if (name === undefined) return [[at.join('.'), value]];
  if (typeof value !== 'object' || value === null) return [];
  return valuesAt((value as Record<string, unknown>)[name], rest, [...at, name]);
}

function plainOf(box: SecretBox, context: string, value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  return isSealed(value) ? box.open(context, value) : value;
}
