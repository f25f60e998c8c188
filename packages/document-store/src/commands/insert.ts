import type { Document } from 'bson';
import { badValue, dollarPrefixedFieldName, invalidId, objectTooLarge } from '../errors.ts';
import { checkNamespace } from '../storage/catalog.ts';
import type { Collection } from '../storage/collection.ts';
import type { Steps } from '../storage/scheduler.ts';
import { withId } from '../update/update.ts';
import { checkDepth, encode, MAX_DOCUMENT_BYTES, startsWithId } from '../values/codec.ts';
import { decodeForInsert } from '../values/decode.ts';
import { type Fields, fieldNames, getField, isFields } from '../values/fields.ts';
import { typeName } from '../values/types.ts';
import { type CommandContext, collectionName } from './command.ts';
import { runStatements } from './statements.ts';

export function* insert(context: CommandContext): Steps<Document> {
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
  const { document, bytes } = decodeForInsert(given);
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
  rejectDollarFields(id);
}

function rejectDollarFields(value: unknown): void {
  if (Array.isArray(value)) value.forEach(rejectDollarFields);
  if (!isFields(value)) return;
  for (const name of fieldNames(value)) {
    if (name.startsWith('$') && !['$ref', '$id', '$db'].includes(name)) {
      throw dollarPrefixedFieldName(
        `_id fields may not contain '$'-prefixed fields: ${name} is not valid for storage.`,
      );
    }
    rejectDollarFields(getField(value, name));
  }
}
