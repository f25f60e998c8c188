import type { Document } from 'bson';
import { failedToParse } from '../errors.ts';
import type { Candidate } from '../plan/scan.ts';
import { compileProjection } from '../query/project.ts';
import type { Collection } from '../storage/collection.ts';
import { refuseCollation } from '../storage/index-definition.ts';
import { decode, RawDocument } from '../values/codec.ts';
import { fieldNames, getField } from '../values/fields.ts';
import { breathe, type CommandContext, documentField, findCollection, flagField } from './command.ts';
import { readUpdate, updateOne, upsert } from './update.ts';

/** `findAndModify`: finds one document, and updates or removes it in the same step. */
export function* findAndModify(context: CommandContext): Generator<undefined, Document> {
  const { command } = context;
  refuseCollation(command.collation);
  const remove = flagField(command, 'remove') ?? false;
  const returnNew = flagField(command, 'new') ?? false;
  checkCombination(command, remove, returnNew);
  const filter = documentField(command, 'query') ?? {};
  const ready = remove ? undefined : readUpdate(command.update, command.arrayFilters, filter);
  const show = projector(documentField(command, 'fields') ?? documentField(command, 'projection'), filter);
  const collection = findCollection(context);
  const found = yield* findFirst(context, collection, filter);

  if (found && collection) {
    if (!ready) {
      collection.remove(found.record, found.document);
      return { lastErrorObject: { n: 1 }, value: show(found.bytes) };
    }
    const after = updateOne(collection, found, ready) ?? found.bytes;
    return { lastErrorObject: { n: 1, updatedExisting: true }, value: show(returnNew ? after : found.bytes) };
  }
  if (!ready) return { lastErrorObject: { n: 0 }, value: null };
  if (!flagField(command, 'upsert')) return { lastErrorObject: { n: 0, updatedExisting: false }, value: null };
  const { document, bytes } = upsert(context, ready);
  return {
    lastErrorObject: { n: 1, updatedExisting: false, upserted: getField(document, '_id') },
    value: returnNew ? show(bytes) : null,
  };
}

function* findFirst(
  context: CommandContext,
  collection: Collection | undefined,
  filter: Document,
): Generator<undefined, Candidate | undefined> {
  const { command, store } = context;
  const request = { filter, sort: documentField(command, 'sort'), limit: 1, hint: command.hint };
  const { source } = store.openQuery(collection, request);
  for (let portion = source.pull(); portion; portion = source.pull()) {
    // Nothing may come between finding and changing, so a match is used before any pause.
    if (portion[0]) return portion[0];
    yield* breathe(context);
  }
  return undefined;
}

function checkCombination(command: Document, remove: boolean, returnNew: boolean): void {
  if (remove && command.update !== undefined) throw failedToParse('Cannot specify both an update and remove=true');
  if (remove && flagField(command, 'upsert')) throw failedToParse('Cannot specify both upsert=true and remove=true');
  if (remove && returnNew) {
    throw failedToParse("Cannot specify both new=true and remove=true; 'remove' always returns the deleted document");
  }
  if (!remove && command.update === undefined) throw failedToParse('Either an update or remove=true must be specified');
}

function projector(projection: Document | undefined, filter: Document): (bytes: Uint8Array) => RawDocument | Document {
  if (!projection || fieldNames(projection).length === 0) return (bytes) => new RawDocument(bytes);
  const project = compileProjection(projection, filter);
  return (bytes) => project(decode(bytes));
}
