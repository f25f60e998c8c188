import type { Document } from 'bson';
import { failedToParse, isDuplicateKey, locationError } from '../errors.ts';
import type { QueryRequest } from '../plan/query.ts';
import { RecordSet } from '../plan/record-set.ts';
import type { Candidate } from '../plan/source.ts';
import { compileFilter } from '../query/matcher.ts';
import type { Collection } from '../storage/collection.ts';
import { refuseCollation } from '../storage/index-definition.ts';
import { refuseExpressions } from '../update/operator.ts';
import { compileUpdate, type UpdateOptions } from '../update/update.ts';
import { encode, MAX_DOCUMENT_BYTES } from '../values/codec.ts';
import { getField } from '../values/fields.ts';
import { checkDepth } from '../values/sizes.ts';
import {
  type CommandContext,
  collectionName,
  documentField,
  eachCurrent,
  filterField,
  findCollection,
  flagField,
  scopeOf,
} from './command.ts';
import { insertDocument } from './insert.ts';
import { readStatement, runStatements } from './statements.ts';

/** What one update statement did. */
interface UpdateResult {
  matched: number;
  modified: number;
  upserted?: unknown;
}

/** `update`: each statement alone; ordered, the first error ends it. */
export function* update(context: CommandContext): Generator<undefined, Document> {
  const upserted: Document[] = [];
  let n = 0;
  let nModified = 0;
  const writeErrors = yield* runStatements(context, 'updates', function* (given, index) {
    const result = yield* runStatement(context, readStatement(given, 'update.updates', ['q', 'u'], OPTIONS));
    n += result.matched;
    nModified += result.modified;
    if ('upserted' in result) upserted.push({ index, _id: result.upserted });
  });
  return { n, nModified, upserted: upserted.length > 0 ? upserted : undefined, writeErrors };
}

const OPTIONS = ['multi', 'upsert', 'arrayFilters', 'hint', 'collation', 'c'];

function* runStatement(context: CommandContext, statement: Document): Generator<undefined, UpdateResult> {
  refuseCollation(statement.collation);
  const filter = filterField(statement, 'q');
  const mayInsert = flagField(statement, 'upsert') ?? false;
  if (mayInsert) refuseExpressions(filter, 'in the query predicate for an upsert');
  const constants = documentField(statement, 'c');
  if (constants && !Array.isArray(statement.u)) {
    throw locationError(51198, 'Constant values may only be specified for pipeline updates');
  }
  const scope = scopeOf(context.command, constants);
  const { arrayFilters, hint } = statement;
  const ready = readUpdate(statement.u, { arrayFilters, filter, scope });
  const multi = flagField(statement, 'multi') ?? false;
  if (multi && ready.isReplacement) throw failedToParse('multi update is not supported for replacement-style update');
  const request = { filter, scope, hint, limit: multi ? 0 : 1 };
  const result = yield* updateMatching(context, findCollection(context), request, ready);
  if (result.matched > 0 || !mayInsert) return result;
  try {
    const { document } = upsert(context, ready);
    return { matched: 1, modified: 0, upserted: getField(document, '_id') };
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    // Somebody may have inserted it while this looked: then it is there to be updated.
    const again = yield* updateMatching(context, findCollection(context), request, ready);
    if (again.matched > 0) return again;
    throw error;
  }
}

function* updateMatching(
  context: CommandContext,
  collection: Collection | undefined,
  request: QueryRequest,
  update: ReadyUpdate,
): Generator<undefined, UpdateResult> {
  const result = { matched: 0, modified: 0 };
  let lapsed: number;
  do {
    const query = context.store.openQuery(collection, request);
    // An update can move a document forward in the very index that is being walked: it must not be met again.
    const met = query.plan.kind === 'index' && request.limit !== 1 ? new RecordSet() : undefined;
    lapsed = yield* eachCurrent(context, collection, query, (candidate) => {
      if (met && !met.add(candidate.record)) return;
      result.matched += 1;
      if (collection && updateOne(collection, candidate, update)) result.modified += 1;
    });
  } while (request.limit === 1 && result.matched === 0 && lapsed > 0);
  return result;
}

/** Applies an update to one stored document; returns its new bytes, or undefined when nothing changed. */
export function updateOne(collection: Collection, candidate: Candidate, update: ReadyUpdate): Uint8Array | undefined {
  const before = candidate.document;
  const { doc, changed } = update.change(before);
  if (!changed) return undefined;
  checkDepth(doc);
  const bytes = encode(doc);
  checkSize(bytes, 17419, 'Resulting document after update');
  collection.replace(candidate.record, before, doc, bytes);
  return bytes;
}

/** Inserts what an update makes of its filter. */
export function upsert(context: CommandContext, update: ReadyUpdate): { document: Document; bytes: Uint8Array } {
  const collection = context.store.catalog.findOrCreate(context.database, collectionName(context));
  return insertDocument(collection, update.make(), (bytes) => checkSize(bytes, 17420, 'Document to upsert'));
}

function checkSize({ length }: Uint8Array, code: number, what: string): void {
  if (length > MAX_DOCUMENT_BYTES) throw locationError(code, `${what} is larger than ${MAX_DOCUMENT_BYTES}`);
}

/** An update made ready for the documents that a filter finds. */
export interface ReadyUpdate {
  isReplacement: boolean;
  /** Applies it to a stored document. */
  change(document: Document): { doc: Document; changed: boolean };
  /** The document that it makes where the filter found none. */
  make(): Document;
}

/** Compiles an update as it stands in a command. Throws what `compileUpdate` throws. */
export function readUpdate(given: unknown, options: UpdateOptions & { filter: Document }): ReadyUpdate {
  const { isReplacement, usesPositional, apply, seed } = compileUpdate(given, options);
  const positional = usesPositional ? compileFilter(options.filter, options.scope).positional : undefined;
  return {
    isReplacement,
    change: (document) => apply(document, { isInsert: false, positional: positional?.(document) }),
    make: () => apply(seed(), { isInsert: true }).doc,
  };
}
