import { type Document, ObjectId } from 'bson';
import { badValue, invalidId, invalidLength, objectTooLarge } from '../errors.ts';
import { checkNamespace } from '../storage/catalog.ts';
import type { Collection } from '../storage/collection.ts';
import { decode, encode, MAX_DOCUMENT_BYTES, startsWithId } from '../values/codec.ts';
import { type Fields, fieldNames, getField, isFields } from '../values/fields.ts';
import { typeName } from '../values/types.ts';
import { arrayField, breathe, type CommandContext, collectionName, flagField, writeErrorOf } from './command.ts';

const MAX_BATCH = 100_000;

/** `insert`: each document alone; ordered, the first error ends it. */
export function* insert(context: CommandContext): Generator<undefined, Document> {
  const name = collectionName(context);
  const documents = arrayField(context.command, 'documents') as Uint8Array[];
  if (documents.length === 0 || documents.length > MAX_BATCH) {
    throw invalidLength(`Write batch sizes must be between 1 and ${MAX_BATCH}. Got ${documents.length} operations.`);
  }
  checkNamespace(context.database, name);
  const ordered = flagField(context.command, 'ordered') ?? true;
  const writeErrors: Document[] = [];
  let n = 0;
  for (let at = 0; at < documents.length; at++) {
    yield* breathe(context);
    try {
      const collection = context.store.catalog.findOrCreate(context.database, name);
      insertBytes(collection, documents[at] as Uint8Array);
      n += 1;
    } catch (error) {
      writeErrors.push(writeErrorOf(error, at));
      if (ordered) break;
    }
  }
  return { n, writeErrors: writeErrors.length > 0 ? writeErrors : undefined };
}

function insertBytes(collection: Collection, bytes: Uint8Array): void {
  if (!(bytes instanceof Uint8Array)) throw badValue('documents to insert must be objects');
  checkSize(bytes);
  const document = decode(bytes);
  if (startsWithId(bytes)) {
    checkId(getField(document, '_id'));
    collection.insert(document, bytes);
  } else {
    insertDocument(collection, document);
  }
}

/** Inserts a decoded document, with an `_id` of its own if it has none; `_id` comes first. Returns what was stored. */
export function insertDocument(collection: Collection, document: Fields): { document: Document; bytes: Uint8Array } {
  const id = getField(document, '_id') ?? new ObjectId();
  checkId(id);
  const names = fieldNames(document).filter((name) => name !== '_id');
  const complete =
    document instanceof Map
      ? new Map([['_id', id], ...names.map((name): [string, unknown] => [name, document.get(name)])])
      : { _id: id, ...document };
  const bytes = encode(complete);
  checkSize(bytes);
  collection.insert(complete, bytes);
  return { document: complete, bytes };
}

/** Throws BSONObjectTooLarge. */
export function checkSize(bytes: Uint8Array): void {
  if (bytes.length > MAX_DOCUMENT_BYTES) {
    throw objectTooLarge(`BSONObj size: ${bytes.length} is invalid. Size must be between 0 and ${MAX_DOCUMENT_BYTES}`);
  }
}

function checkId(id: unknown): void {
  const type = typeName(id);
  if (type === 'array' || type === 'regex' || type === 'undefined') {
    throw invalidId(`The '_id' value cannot be of type ${type}`);
  }
  if (isFields(id) && fieldNames(id).some((name) => name.startsWith('$') && !/^\$(ref|id|db)$/.test(name))) {
    throw invalidId(`_id fields may not contain '$'-prefixed fields: ${fieldNames(id)[0]} is not valid for storage.`);
  }
}
