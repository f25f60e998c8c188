import type { Document } from 'bson';
import { badValue, dollarPrefixedFieldName, invalidId, objectTooLarge } from '../errors.ts';
import { checkNamespace } from '../storage/catalog.ts';
import type { Collection } from '../storage/collection.ts';
import { withId } from '../update/update.ts';
import { encode, MAX_DOCUMENT_BYTES, startsWithId } from '../values/codec.ts';
import { decodeToStore } from '../values/decode.ts';
import { type Fields, fieldNames, getField, isFields } from '../values/fields.ts';
import { checkDepth } from '../values/sizes.ts';
import { typeName } from '../values/types.ts';
import { type CommandContext, collectionName } from './command.ts';
import { runStatements } from './statements.ts';

/** `insert`: each document alone; ordered, the first error ends it. */
export function* insert(context: CommandContext): Generator<undefined, Document> {
  const name = collectionName(context);
  checkNamespace(context.database, name);
  let n = 0;
  // biome-ignore lint/correctness/useYield: an insert is one step
  const writeErrors = yield* runStatements(context, 'documents', function* (bytes) {
    insertBytes(context.store.catalog.findOrCreate(context.database, name), bytes);
    n += 1;
  });
  return { n, writeErrors };
}

function insertBytes(collection: Collection, given: unknown): void {
  if (!(given instanceof Uint8Array)) throw badValue('documents to insert must be objects');
  checkInsertSize(given);
  const { document, bytes } = decodeToStore(given);
  if (startsWithId(bytes)) {
    checkId(getField(document, '_id'));
    collection.insert(document, bytes);
  } else {
    insertDocument(collection, document, checkInsertSize);
  }
}

export function checkInsertSize({ length }: Uint8Array): void {
  if (length <= MAX_DOCUMENT_BYTES) return;
  throw objectTooLarge(`object to insert too large. size in bytes: ${length}, max size: ${MAX_DOCUMENT_BYTES}`);
}

/** Inserts a decoded document, with an `_id` of its own if it has none; `_id` comes first. Returns what was stored. */
export function insertDocument(
  collection: Collection,
  document: Fields,
  checkSize: (bytes: Uint8Array) => void,
): { document: Document; bytes: Uint8Array } {
  const complete = withId(document);
  checkId(getField(complete, '_id'));
  checkDepth(complete);
  const bytes = encode(complete);
  checkSize(bytes);
  collection.insert(complete, bytes);
  return { document: complete, bytes };
}

function checkId(id: unknown): void {
  const type = typeName(id);
  if (type === 'array' || type === 'regex' || type === 'undefined') {
    throw invalidId(`The '_id' value cannot be of type ${type}`);
  }
  refuseDollars(id);
}

function refuseDollars(value: unknown): void {
  if (Array.isArray(value)) value.forEach(refuseDollars);
  if (!isFields(value)) return;
  for (const name of fieldNames(value)) {
    if (name.startsWith('$') && !['$ref', '$id', '$db'].includes(name)) {
      throw dollarPrefixedFieldName(
        `_id fields may not contain '$'-prefixed fields: ${name} is not valid for storage.`,
      );
    }
    refuseDollars(getField(value, name));
  }
}
