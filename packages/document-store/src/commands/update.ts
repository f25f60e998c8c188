import type { Document } from 'bson';
import { failedToParse, invalidLength } from '../errors.ts';
import type { QueryRequest } from '../plan/query.ts';
import type { Candidate } from '../plan/scan.ts';
import { compileFilter } from '../query/matcher.ts';
import type { Collection, RecordNumber } from '../storage/collection.ts';
import { refuseCollation } from '../storage/index-definition.ts';
import { compileUpdate } from '../update/update.ts';
import { encode } from '../values/codec.ts';
import { fieldNames, getField, isFields } from '../values/fields.ts';
import {
  arrayField,
  breathe,
  type CommandContext,
  collectionName,
  documentField,
  findCollection,
  flagField,
  writeErrorOf,
} from './command.ts';
import { checkSize, insertDocument } from './insert.ts';

const MAX_BATCH = 100_000;

/** What one update statement did. */
interface UpdateResult {
  matched: number;
  modified: number;
  upserted?: unknown;
}

/** `update`: each statement alone; ordered, the first error ends it. */
export function* update(context: CommandContext): Generator<undefined, Document> {
  const statements = arrayField(context.command, 'updates') as Document[];
  if (statements.length === 0 || statements.length > MAX_BATCH) {
    throw invalidLength(`Write batch sizes must be between 1 and ${MAX_BATCH}. Got ${statements.length} operations.`);
  }
  const ordered = flagField(context.command, 'ordered') ?? true;
  const writeErrors: Document[] = [];
  const upserted: Document[] = [];
  let n = 0;
  let nModified = 0;
  for (let index = 0; index < statements.length; index++) {
    yield* breathe(context);
    try {
      const result = yield* runStatement(context, statements[index] as Document);
      n += result.matched;
      nModified += result.modified;
      if ('upserted' in result) upserted.push({ index, _id: result.upserted });
    } catch (error) {
      writeErrors.push(writeErrorOf(error, index));
      if (ordered) break;
    }
  }
  return {
    n,
    nModified,
    upserted: upserted.length > 0 ? upserted : undefined,
    writeErrors: writeErrors.length > 0 ? writeErrors : undefined,
  };
}

function* runStatement(context: CommandContext, statement: Document): Generator<undefined, UpdateResult> {
  refuseCollation(statement.collation);
  const filter = documentField(statement, 'q') ?? {};
  const multi = flagField(statement, 'multi') ?? false;
  const ready = readUpdate(statement.u, statement.arrayFilters, filter);
  if (multi && isReplacement(statement.u)) {
    throw failedToParse('multi update is not supported for replacement-style update');
  }
  const request = { filter, hint: statement.hint, sort: documentField(statement, 'sort'), limit: multi ? 0 : 1 };
  const collection = findCollection(context);
  const result = yield* updateMatching(context, collection, request, ready);
  if (result.matched > 0 || !flagField(statement, 'upsert')) return result;
  const { document } = upsert(context, ready);
  return { matched: 1, modified: 0, upserted: getField(document, '_id') };
}

function* updateMatching(
  context: CommandContext,
  collection: Collection | undefined,
  request: QueryRequest,
  update: ReadyUpdate,
): Generator<undefined, UpdateResult> {
  const { source, plan } = context.store.openQuery(collection, request);
  // An update can move a document forward in the very index that is being walked: it must not be met again.
  const met = plan.kind === 'index' && request.limit !== 1 ? new Set<RecordNumber>() : undefined;
  const result = { matched: 0, modified: 0 };
  for (let portion = source.pull(); portion; portion = source.pull()) {
    for (const candidate of portion) {
      if (met?.has(candidate.record)) continue;
      met?.add(candidate.record);
      result.matched += 1;
      if (collection && updateOne(collection, candidate, update)) result.modified += 1;
    }
    yield* breathe(context);
  }
  return result;
}

/** Applies an update to one stored document; returns its new bytes, or undefined when nothing changed. */
export function updateOne(collection: Collection, candidate: Candidate, update: ReadyUpdate): Uint8Array | undefined {
  const before = candidate.document;
  const { doc, changed } = update.change(before);
  if (!changed) return undefined;
  const bytes = encode(doc);
  checkSize(bytes);
  collection.replace(candidate.record, before, doc, bytes);
  return bytes;
}

/** Inserts what an update makes of its filter. */
export function upsert(context: CommandContext, update: ReadyUpdate): { document: Document; bytes: Uint8Array } {
  const collection = context.store.catalog.findOrCreate(context.database, collectionName(context));
  return insertDocument(collection, update.make());
}

/** An update made ready for the documents that a filter finds. */
export interface ReadyUpdate {
  /** Applies it to a stored document. */
  change(document: Document): { doc: Document; changed: boolean };
  /** The document that it makes where the filter found none. */
  make(): Document;
}

/** Compiles an update as it stands in a command. Throws what `compileUpdate` throws. */
export function readUpdate(given: unknown, arrayFilters: unknown, filter: Document): ReadyUpdate {
  const compiled = compileUpdate(given, { arrayFilters, filter });
  const positional = usesPositional(given) ? compileFilter(filter).positional : undefined;
  return {
    change: (document) => compiled.apply(document, { isInsert: false, positional: positional?.(document) }),
    make: () => compiled.apply(compiled.seed(), { isInsert: true }).doc,
  };
}

/** True when a path has the `$` that stands for the array element by which the filter matched. */
function usesPositional(given: unknown): boolean {
  if (!isFields(given)) return false;
  return fieldNames(given).some((operator) => {
    const operands = getField(given, operator);
    return isFields(operands) && fieldNames(operands).some((path) => path.split('.').includes('$'));
  });
}

function isReplacement(given: unknown): boolean {
  return isFields(given) && !fieldNames(given)[0]?.startsWith('$');
}
