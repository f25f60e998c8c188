import type { Document } from 'bson';
import { failedToParse, isDuplicateKey, locationError } from '../errors.ts';
import { openQuery, type QueryRequest } from '../plan/query.ts';
import { RecordSet } from '../plan/scan.ts';
import type { Candidate } from '../plan/source.ts';
import { compileFilter } from '../query/matcher.ts';
import type { Collection } from '../storage/collection.ts';
import { rejectCollation } from '../storage/index-definition.ts';
import type { Steps } from '../storage/scheduler.ts';
import { rejectExpressions } from '../update/operator.ts';
import { compileUpdate, type UpdateOptions } from '../update/update.ts';
import { checkDepth, encode, MAX_DOCUMENT_BYTES } from '../values/codec.ts';
import { getField } from '../values/fields.ts';
import {
  type CommandContext,
  collectionName,
  documentField,
  filterField,
  findCollection,
  flagField,
  forEachCurrent,
  scopeOf,
} from './command.ts';
import { insertDocument } from './insert.ts';
import { readStatement, runStatements } from './statements.ts';

interface UpdateResult {
  matched: number;
  modified: number;
  upserted?: unknown;
}

export function* update(context: CommandContext): Steps<Document> {
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

function* runStatement(context: CommandContext, statement: Document): Steps<UpdateResult> {
  rejectCollation(statement.collation);
  const filter = filterField(statement, 'q');
  const isUpsert = flagField(statement, 'upsert') ?? false;
  if (isUpsert) rejectExpressions(filter, 'in the query predicate for an upsert');
  const constants = documentField(statement, 'c');
  if (constants && !Array.isArray(statement.u)) {
    throw locationError(51198, 'Constant values may only be specified for pipeline updates');
  }
  const scope = scopeOf(context.command, constants);
  const { arrayFilters, hint } = statement;
  const plan = prepareUpdate(statement.u, { arrayFilters, filter, scope });
  const multi = flagField(statement, 'multi') ?? false;
  if (multi && plan.isReplacement) throw failedToParse('multi update is not supported for replacement-style update');
  const request = { filter, scope, hint, limit: multi ? 0 : 1 };
  const result = yield* updateMatching(context, findCollection(context), request, plan);
  if (result.matched > 0 || !isUpsert) return result;
  try {
    const { document } = upsert(context, plan);
    return { matched: 1, modified: 0, upserted: getField(document, '_id') };
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    // Another client may have inserted the document in the meantime.
    const again = yield* updateMatching(context, findCollection(context), request, plan);
    if (again.matched > 0) return again;
    throw error;
  }
}

function* updateMatching(
  context: CommandContext,
  collection: Collection | undefined,
  request: QueryRequest,
  update: UpdatePlan,
): Steps<UpdateResult> {
  const result = { matched: 0, modified: 0 };
  let stale: number;
  do {
    const query = openQuery(collection, request);
    // An update can move a document forward in the scanned index, so that the scan finds it again.
    const seen = query.plan.kind === 'index' && request.limit !== 1 ? new RecordSet() : undefined;
    stale = yield* forEachCurrent(context, collection, query, (candidate) => {
      if (seen && !seen.add(candidate.record)) return;
      result.matched += 1;
      if (collection && updateOne(collection, candidate, update)) result.modified += 1;
    });
  } while (request.limit === 1 && result.matched === 0 && stale > 0);
  return result;
}

export function updateOne(collection: Collection, candidate: Candidate, update: UpdatePlan): Uint8Array | undefined {
  const before = candidate.document;
  const { doc, changed } = update.apply(before);
  if (!changed) return undefined;
  checkDepth(doc);
  const bytes = encode(doc);
  checkSize(bytes, 17419, 'Resulting document after update');
  collection.replace(candidate.record, before, doc, bytes);
  return bytes;
}

export function upsert(context: CommandContext, update: UpdatePlan): { document: Document; bytes: Uint8Array } {
  const collection = context.store.catalog.findOrCreate(context.database, collectionName(context));
  return insertDocument(collection, update.createDocument(), (bytes) => checkSize(bytes, 17420, 'Document to upsert'));
}

function checkSize({ length }: Uint8Array, code: number, what: string): void {
  if (length > MAX_DOCUMENT_BYTES) throw locationError(code, `${what} is larger than ${MAX_DOCUMENT_BYTES}`);
}

interface UpdatePlan {
  isReplacement: boolean;
  apply(document: Document): { doc: Document; changed: boolean };
  createDocument(): Document;
}

export function prepareUpdate(given: unknown, options: UpdateOptions & { filter: Document }): UpdatePlan {
  const { isReplacement, usesPositional, apply, seed } = compileUpdate(given, options);
  const positional = usesPositional ? compileFilter(options.filter, options.scope).positional : undefined;
  return {
    isReplacement,
    apply: (document) => apply(document, { isInsert: false, positional: positional?.(document) }),
    createDocument: () => apply(seed(), { isInsert: true }).doc,
  };
}
