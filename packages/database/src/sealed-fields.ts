import { isSealed, type SecretBox } from '@chorus/secrets';
import type { mongo } from 'mongoose';
import { fromStore } from './store-errors.ts';

type Document = Record<string, unknown>;

interface SealedField {
  collection: string;
  /** Where the value is in its document; arrays on the way count with each of their elements. */
  path: string;
  /** What is removed where the key is lost: `document`, or the first field of the path. */
  without: 'document' | 'field';
  /** Ids of documents whose value is no secret. */
  open?: readonly string[];
}

/** The name of the record by which a store knows its key, in the collection of secrets. */
export const KEY_RECORD = 'secret_key';

/** Words in the collection of secrets that keep nothing secret; files could not be found without them. */
export const OPEN_WORDS: readonly string[] = ['installation'];

/** Every field that is encrypted. Migration, rotation and reset follow from this list. */
const SEALED_FIELDS: readonly SealedField[] = [
  { collection: 'signing_keys', path: 'private_jwk', without: 'document' },
  { collection: 'secrets', path: 'value', without: 'document', open: [...OPEN_WORDS, KEY_RECORD] },
  { collection: 'webhook_secrets', path: 'secret', without: 'document' },
  { collection: 'webhook_secrets', path: 'previous.secret', without: 'document' },
  { collection: 'totp_factors', path: 'secret', without: 'document' },
];

/** What a value is sealed with beside the key: its collection, its document and its name. */
export function sealContext(collection: string, id: string, name: string): string {
  return `${collection}/${id}/${name}`;
}

/** Encrypts with the present key whatever is not: values of older releases, and of older keys. Can be repeated. @returns how many, and how many were plain */
export async function sealAll(store: mongo.Db, box: SecretBox): Promise<{ sealed: number; plain: number }> {
  const counts = { sealed: 0, plain: 0 };
  for (const field of SEALED_FIELDS) {
    const name = lastOf(field.path);
    for (const { _id, ...document } of await documentsOf(store, field)) {
      for (const [path, value] of valuesAt(document, field.path.split('.'))) {
        if (value === null || value === undefined || box.isCurrent(value)) continue;
        const context = sealContext(field.collection, _id, name);
        const sealed = box.seal(context, plainOf(box, context, value));
        // Whoever has changed it meanwhile has sealed it.
        const unchanged = { _id, [path]: value };
        const changing = store
          .collection<{ _id: string }>(field.collection)
          .updateOne(unchanged, { $set: { [path]: sealed } });
        const { modifiedCount } = await fromStore(changing);
        counts.sealed += modifiedCount;
        if (!isSealed(value)) counts.plain += modifiedCount;
      }
    }
  }
  return counts;
}

/** Removes what nobody can decrypt any more; what can be made anew is made when it is next needed. @returns how many records */
export async function removeSealed(store: mongo.Db): Promise<number> {
  let count = 0;
  for (const field of SEALED_FIELDS) {
    const collection = store.collection<{ _id: string }>(field.collection);
    const filter = filterOf(
      field,
      (field.open ?? []).filter((id) => id !== KEY_RECORD),
    );
    const [first = ''] = field.path.split('.');
    if (field.without === 'document') count += (await fromStore(collection.deleteMany(filter))).deletedCount;
    else count += (await fromStore(collection.updateMany(filter, { $unset: { [first]: '' } }))).modifiedCount;
  }
  return count;
}

function filterOf({ path }: SealedField, open: readonly string[]): mongo.Filter<{ _id: string }> {
  return { [path]: { $exists: true }, ...(open.length > 0 ? { _id: { $nin: [...open] } } : {}) };
}

function documentsOf(store: mongo.Db, field: SealedField): Promise<(Document & { _id: string })[]> {
  const [first = ''] = field.path.split('.');
  const found = store.collection<{ _id: string }>(field.collection).find(filterOf(field, field.open ?? []));
  return fromStore(found.project<Document & { _id: string }>({ [first]: 1 }).toArray());
}

/** The values of a path, each with the path that names it alone. */
function valuesAt(
  value: unknown,
  path: readonly string[],
  at: readonly string[] = [],
): [path: string, value: unknown][] {
  if (Array.isArray(value)) return value.flatMap((item, index) => valuesAt(item, path, [...at, String(index)]));
  const [name, ...rest] = path;
  if (name === undefined) return [[at.join('.'), value]];
  if (typeof value !== 'object' || value === null) return [];
  return valuesAt((value as Document)[name], rest, [...at, name]);
}

function plainOf(box: SecretBox, context: string, value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  return isSealed(value) ? box.open(context, value) : value;
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}
