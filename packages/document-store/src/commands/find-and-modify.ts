import type { Document } from 'bson';
import type { Scope } from '../aggregate/scope.ts';
import { failedToParse, isDuplicateKey, StoreError } from '../errors.ts';
import { openQuery, type QueryRequest } from '../plan/query.ts';
import type { Candidate } from '../plan/source.ts';
import { compileProjection } from '../query/project.ts';
import type { Collection } from '../storage/collection.ts';
import type { Steps } from '../storage/scheduler.ts';
import { rejectExpressions } from '../update/operator.ts';
import { RawDocument } from '../values/codec.ts';
import { decode } from '../values/decode.ts';
import { fieldNames, getField } from '../values/fields.ts';
import {
  type CommandContext,
  documentField,
  filterField,
  findCollection,
  flagField,
  reread,
  scopeOf,
  yieldWhenDue,
} from './command.ts';
import { prepareUpdate, updateOne, upsert } from './update.ts';

export function* findAndModify(context: CommandContext): Steps<Document> {
  const { command } = context;
  const remove = flagField(command, 'remove') ?? false;
  const returnNew = flagField(command, 'new') ?? false;
  checkOptions(command, remove, returnNew);
  const filter = filterField(command, 'query');
  const isUpsert = flagField(command, 'upsert') ?? false;
  if (isUpsert) rejectExpressions(filter, 'in the query predicate for an upsert');
  const { arrayFilters } = command;
  const scope = scopeOf(command);
  const plan = remove ? undefined : prepareUpdate(command.update, { arrayFilters, filter, scope });
  const show = compileProjector(filterField(command, 'fields'), filter, scope);
  const collection = findCollection(context);
  const found = yield* findFirst(context, collection, { filter, scope });
  if (!plan) {
    if (!found) return { lastErrorObject: { n: 0 }, value: null };
    collection?.remove(found.record, found.document);
    return { lastErrorObject: { n: 1 }, value: show(found.bytes) };
  }
  const updated = (candidate: Candidate) => {
    const after = withPlanErrorPrefix(() => updateOne(findCollection(context) as Collection, candidate, plan));
    const shown = returnNew ? (after ?? candidate.bytes) : candidate.bytes;
    return { lastErrorObject: { n: 1, updatedExisting: true }, value: show(shown) };
  };
  if (found) return updated(found);
  if (!isUpsert) return { lastErrorObject: { n: 0, updatedExisting: false }, value: null };
  try {
    const { document, bytes } = withPlanErrorPrefix(() => upsert(context, plan));
    const upserted = getField(document, '_id');
    return { lastErrorObject: { n: 1, updatedExisting: false, upserted }, value: returnNew ? show(bytes) : null };
  } catch (error) {
    // Another client may have inserted the document in the meantime.
    const again = isDuplicateKey(error) && (yield* findFirst(context, findCollection(context), { filter, scope }));
    if (!again) throw error;
    return updated(again);
  }
}

function* findFirst(
  context: CommandContext,
  collection: Collection | undefined,
  query: Pick<QueryRequest, 'filter' | 'scope'>,
): Steps<Candidate | undefined> {
  const { command } = context;
  const sort = documentField(command, 'sort');
  const request = { ...query, sort, limit: 1, spare: SPARE_CANDIDATES, hint: command.hint };
  for (let stale = true; stale; ) {
    const { source, matches } = openQuery(collection, request);
    stale = false;
    for (const chunk of source) {
      for (const candidate of chunk) {
        // Finding and changing must happen in one slice, and a sort may have taken several.
        const current = reread(collection, candidate, matches);
        if (current) return current;
        stale = true;
      }
      yield* yieldWhenDue(context);
    }
  }
  return undefined;
}

/** Further candidates to try before the query runs again, when other clients changed the first ones. */
const SPARE_CANDIDATES = 31;

/** Prefixes errors as MongoDB does for this command alone. */
function withPlanErrorPrefix<T>(change: () => T): T {
  try {
    return change();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const { code, codeName, message, extra } = error;
    throw new StoreError(code, codeName, `Plan executor error during findAndModify :: caused by :: ${message}`, extra);
  }
}

function checkOptions(command: Document, remove: boolean, returnNew: boolean): void {
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

function compileProjector(
  projection: Document,
  filter: Document,
  scope: Scope,
): (bytes: Uint8Array) => RawDocument | Document {
  if (fieldNames(projection).length === 0) return (bytes) => new RawDocument(bytes);
  const project = compileProjection(projection, filter, scope);
  return (bytes) => project(decode(bytes));
}
