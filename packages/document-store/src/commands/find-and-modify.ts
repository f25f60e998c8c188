import type { Document } from 'bson';
import type { Scope } from '../aggregate/scope.ts';
import { failedToParse, isDuplicateKey, StoreError } from '../errors.ts';
import type { QueryRequest } from '../plan/query.ts';
import type { Candidate } from '../plan/source.ts';
import { compileProjection } from '../query/project.ts';
import type { Collection } from '../storage/collection.ts';
import { refuseExpressions } from '../update/operator.ts';
import { RawDocument } from '../values/codec.ts';
import { decode } from '../values/decode.ts';
import { fieldNames, getField } from '../values/fields.ts';
import {
  asItIs,
  breathe,
  type CommandContext,
  documentField,
  filterField,
  findCollection,
  flagField,
  scopeOf,
} from './command.ts';
import { readUpdate, updateOne, upsert } from './update.ts';

/** `findAndModify`: finds one document, and updates or removes it in the same step. */
export function* findAndModify(context: CommandContext): Generator<undefined, Document> {
  const { command } = context;
  const remove = flagField(command, 'remove') ?? false;
  const returnNew = flagField(command, 'new') ?? false;
  checkCombination(command, remove, returnNew);
  const filter = filterField(command, 'query');
  const mayInsert = flagField(command, 'upsert') ?? false;
  if (mayInsert) refuseExpressions(filter, 'in the query predicate for an upsert');
  const { arrayFilters } = command;
  const scope = scopeOf(command);
  const ready = remove ? undefined : readUpdate(command.update, { arrayFilters, filter, scope });
  const show = projector(filterField(command, 'fields'), filter, scope);
  const collection = findCollection(context);
  const found = yield* findFirst(context, collection, { filter, scope });
  if (!ready) {
    if (!found) return { lastErrorObject: { n: 0 }, value: null };
    collection?.remove(found.record, found.document);
    return { lastErrorObject: { n: 1 }, value: show(found.bytes) };
  }
  const updated = (candidate: Candidate) => {
    const after = asPlanError(() => updateOne(findCollection(context) as Collection, candidate, ready));
    const shown = returnNew ? (after ?? candidate.bytes) : candidate.bytes;
    return { lastErrorObject: { n: 1, updatedExisting: true }, value: show(shown) };
  };
  if (found) return updated(found);
  if (!mayInsert) return { lastErrorObject: { n: 0, updatedExisting: false }, value: null };
  try {
    const { document, bytes } = asPlanError(() => upsert(context, ready));
    const upserted = getField(document, '_id');
    return { lastErrorObject: { n: 1, updatedExisting: false, upserted }, value: returnNew ? show(bytes) : null };
  } catch (error) {
    // Somebody may have inserted it while this looked: then it is there to be updated.
    const again = isDuplicateKey(error) && (yield* findFirst(context, findCollection(context), { filter, scope }));
    if (!again) throw error;
    return updated(again);
  }
}

function* findFirst(
  context: CommandContext,
  collection: Collection | undefined,
  query: Pick<QueryRequest, 'filter' | 'scope'>,
): Generator<undefined, Candidate | undefined> {
  const { command, store } = context;
  const sort = documentField(command, 'sort');
  const request = { ...query, sort, limit: 1, spare: SPARE, hint: command.hint };
  for (let lapsed = true; lapsed; ) {
    const { source, matches } = store.openQuery(collection, request);
    lapsed = false;
    for (const portion of source) {
      for (const candidate of portion) {
        // Nothing may come between finding and changing. While a sort went on, others may have changed what it found.
        const current = asItIs(collection, candidate, matches);
        if (current) return current;
        lapsed = true;
      }
      yield* breathe(context);
    }
  }
  return undefined;
}

/** How many are looked at when others have changed the first ones, before the query is run again. */
const SPARE = 31;

/** What goes wrong with a document is told as MongoDB tells it for this command alone. */
function asPlanError<T>(change: () => T): T {
  try {
    return change();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const { code, codeName, message, extra } = error;
    throw new StoreError(code, codeName, `Plan executor error during findAndModify :: caused by :: ${message}`, extra);
  }
}

function checkCombination(command: Document, remove: boolean, returnNew: boolean): void {
  if (!remove) {
    if (command.update !== undefined) return;
    throw failedToParse('Either an update or remove=true must be specified');
  }
  if (command.update !== undefined) throw failedToParse('Cannot specify both an update and remove=true');
  if (flagField(command, 'upsert')) throw failedToParse('Cannot specify both upsert=true and remove=true');
  if (command.arrayFilters !== undefined) throw failedToParse('Cannot specify arrayFilters and remove=true');
  if (returnNew) {
    throw failedToParse("Cannot specify both new=true and remove=true; 'remove' always returns the deleted document");
  }
}

function projector(
  projection: Document,
  filter: Document,
  scope: Scope,
): (bytes: Uint8Array) => RawDocument | Document {
  if (fieldNames(projection).length === 0) return (bytes) => new RawDocument(bytes);
  const project = compileProjection(projection, filter, scope);
  return (bytes) => project(decode(bytes));
}
