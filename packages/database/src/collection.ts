import { type Owner, scopeKey } from '@chorus/contract';
import type { Collection, Db, IndexDescription } from 'mongodb';
import { type IndexDefinition, type IndexOptions, Schema } from 'mongoose';

/** A public object as a record: an owner instead of `user_id`, and times as `Date`. */
export type RecordOf<Public> = {
  [Key in Exclude<keyof Public, 'object' | 'user_id' | 'urls'>]: Key extends `${string}_at`
    ? Date | Extract<Public[Key], null>
    : Public[Key];
} & { owner: Owner };

/** The owner of a document. */
export interface StoredOwner {
  scope_key: string;
  user_id: string;
}

/** Metadata as a list: callers' names may contain `$` and dots, which are not allowed in field names. */
export type StoredPairs = { name: string; value: string }[];

/** A record as its collection stores it. `Changed` names the fields that are stored differently. */
export type Stored<T, Changed extends keyof T = never> = Omit<T, 'id' | 'owner' | 'user_id' | 'metadata' | Changed> & {
  _id: string;
} & StoredOwner &
  (T extends { metadata: unknown } ? { metadata: StoredPairs } : unknown);

interface Index<Document> extends Omit<IndexDescription, 'key'> {
  key: { [Field in keyof Document | `${keyof Document & string}.${string}`]?: 1 | -1 };
}

interface CollectionOptions<Document> {
  indexes?: Index<Document>[];
  /** Whether it is erased with its scope, or also with its creator in any scope. Absent: `erasure.ts` decides. */
  erasedWith?: 'scope' | 'maker';
}

/** The name, Mongoose schema and document type of a collection. */
export interface CollectionSpec<Document extends { _id: string } = { _id: string }> {
  name: string;
  /** Declares the indexes. Repositories write through the driver, so only TypeScript checks the fields. */
  schema: Schema;
  erasedWith: 'scope' | 'maker' | null;
  in(db: Db): Collection<Document>;
}

export function defineCollection<Document extends { _id: string }>(
  name: string,
  { indexes = [], erasedWith }: CollectionOptions<Document> = {},
): CollectionSpec<Document> {
  const schema = new Schema({ _id: String }, { collection: name, strict: false, versionKey: false });
  for (const { key, ...options } of indexes) schema.index(key as IndexDefinition, options as IndexOptions);
  return {
    name,
    schema,
    erasedWith: erasedWith ?? null,
    in: (db) => db.collection<Document>(name),
  };
}

export function toStored<T extends { id: string; owner: Owner }>({ id, owner, ...fields }: T) {
  return { _id: id, ...storedOwner(owner), ...fields };
}

export function fromStored<Document extends StoredOwner & { _id: string }>(document: Document) {
  const { _id, scope_key, user_id, ...fields } = document;
  return { id: _id, owner: ownerOf({ scope_key, user_id }), ...fields };
}

export function storedOwner(owner: Owner): StoredOwner {
  return { scope_key: scopeKey(owner), user_id: owner.user_id };
}

const WORKSPACE = 'workspace:';

export function ownerOf(stored: StoredOwner): Owner {
  return stored.scope_key.startsWith(WORKSPACE)
    ? { scope: 'workspace', user_id: stored.user_id, workspace_id: stored.scope_key.slice(WORKSPACE.length) }
    : { scope: 'personal', user_id: stored.user_id, workspace_id: null };
}

/** Matches one document in the owner's scope. */
export function inScope(owner: Owner, id: string): { _id: string; scope_key: string } {
  return { _id: requireString(id), scope_key: scopeKey(owner) };
}

/** Matches several documents in the owner's scope. */
export function allInScope(owner: Owner, ids: readonly string[]) {
  return { _id: { $in: ids.map(requireString) }, scope_key: scopeKey(owner) };
}

/** Matches one document created by the user. */
export function ofMaker(owner: Owner, id: string): { _id: string } & StoredOwner {
  return { _id: requireString(id), ...storedOwner(owner) };
}

/** Matches shared documents, except those of other users' sessions. */
export function visibleTo(owner: Owner): { $or?: [{ session_id: null }, { user_id: string }] } {
  return owner.scope === 'personal' ? {} : { $or: [{ session_id: null }, { user_id: owner.user_id }] };
}

/** Rejects objects, which a filter would read as query operators. */
export function requireString(value: string): string {
  if (typeof value !== 'string') throw new TypeError(`expected a string, got ${typeof value}`);
  return value;
}

export function storedPairs(pairs: Record<string, string>): StoredPairs {
  return Object.entries(pairs).map(([name, value]) => ({ name, value }));
}

export function pairsOf(stored: StoredPairs): Record<string, string> {
  return Object.fromEntries(stored.map(({ name, value }) => [name, value]));
}

/** Omits undefined fields. */
export function defined<Fields extends object>(fields: Fields) {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };
}

/** Limits a list to documents created by the user. */
export interface MadeBy {
  mine?: boolean | undefined;
}

export const madeBy = ({ user_id }: Owner, { mine }: MadeBy) => (mine ? { user_id } : {});
