import { type Document, Int32, Long } from 'bson';
import { Variables } from '../aggregate/expression.ts';
import type { Scope } from '../aggregate/scope.ts';
import {
  badValue,
  invalidNamespace,
  locationError,
  maxTimeExpired,
  requestError,
  StoreError,
  typeMismatch,
} from '../errors.ts';
import type { Query } from '../plan/query.ts';
import { Candidate, type Source } from '../plan/source.ts';
import { isTruthy } from '../query/match-operators.ts';
import type { Collection } from '../storage/collection.ts';
import { currentSlice, type Steps, sliceIsOver, type Work } from '../storage/scheduler.ts';
import type { Store } from '../store.ts';
import { isFields } from '../values/fields.ts';
import { isNumber, nearestDouble } from '../values/numbers.ts';
import { typeName } from '../values/types.ts';

export interface Client {
  readonly id: number;
  readonly closed: boolean;
  /** True for clients of the Unix socket, which only the store's owner can open. */
  readonly isLocal: boolean;
  onClose(listener: () => void): void;
}

export interface CommandContext {
  store: Store;
  database: string;
  /** The name the client used, which is the first field of `command`. */
  name: string;
  command: Document;
  client: Client;
  isCommand: (name: string) => boolean;
  /** When `maxTimeMS` ends, in epoch milliseconds. */
  deadline?: number;
}

export type CommandHandler = (context: CommandContext) => Work<Document>;

export function collectionName(context: CommandContext): string {
  const name = context.command[context.name];
  if (typeof name !== 'string') {
    throw badValue(`collection name has invalid type ${typeName(name)}`);
  }
  if (name === '') throw invalidNamespace(`Invalid namespace specified '${context.database}.'`);
  return name;
}

export function findCollection(context: CommandContext): Collection | undefined {
  return context.store.catalog.find(context.database, collectionName(context));
}

export function documentField(container: Document, name: string): Document | undefined {
  const value = container[name];
  if (value === undefined || value === null) return undefined;
  if (!isFields(value)) throw wrongTypeError(container, name, "type 'object'");
  return value;
}

export function filterField(container: Document, name: string): Document {
  return documentField(container, name) ?? {};
}

export function scopeOf(command: Document, constants?: Document): Scope {
  return Variables.of({ ...documentField(command, 'let'), ...constants });
}

export function arrayField(container: Document, name: string): unknown[] {
  const value = requiredField(container, name);
  if (!Array.isArray(value)) throw wrongTypeError(container, name, "type 'array'");
  return value;
}

export function stringField(container: Document, name: string): string {
  const value = requiredField(container, name);
  if (typeof value !== 'string') throw wrongTypeError(container, name, "type 'string'");
  return value;
}

export function countField(container: Document, name: string): number | undefined {
  const value = container[name];
  if (value === undefined || value === null) return undefined;
  const number = nearestDouble(value);
  if (number === undefined) throw wrongTypeError(container, name, "types '[long, int, decimal, double']");
  if (number < 0) throw locationError(51024, `BSON field '${name}' value must be >= 0, actual value '${number}'`);
  return Math.trunc(number) || 0;
}

export function flagField(container: Document, name: string): boolean | undefined {
  const value = container[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'boolean' && !isNumber(value)) {
    throw wrongTypeError(container, name, "types '[bool, long, int, decimal, double']");
  }
  return isTruthy(value);
}

export function longField(container: Document, name: string): Long {
  const value = container[name];
  if (value instanceof Long) return value;
  if (value instanceof Int32) return Long.fromInt(value.value);
  throw wrongTypeError(container, name, "type 'long'");
}

function requiredField(container: Document, name: string): unknown {
  const value = container[name];
  if (value !== undefined) return value;
  throw locationError(40414, `BSON field '${fieldPath(container, name)}' is missing but a required field`);
}

function wrongTypeError(container: Document, name: string, expected: string): StoreError {
  const type = typeName(container[name]);
  return typeMismatch(`BSON field '${fieldPath(container, name)}' is the wrong type '${type}', expected ${expected}`);
}

/** Yields when the slice is over, and then checks the time limit. Call it between steps of long work. */
export function* yieldWhenDue(context: CommandContext): Steps<void> {
  if (!sliceIsOver()) return;
  yield;
  checkTime(context);
}

export function* forEachCandidate(
  context: CommandContext,
  source: Source,
  take: (candidate: Candidate) => void,
): Steps<void> {
  for (const chunk of source) {
    for (const candidate of chunk) {
      take(candidate);
      if (sliceIsOver()) yield* yieldWhenDue(context);
    }
    yield* yieldWhenDue(context);
  }
}

/**
 * Like `forEachCandidate`, but re-reads documents that may have changed during a pause. Returns how
 * many no longer matched.
 */
export function* forEachCurrent(
  context: CommandContext,
  collection: Collection | undefined,
  { source, matches }: Pick<Query, 'source' | 'matches'>,
  take: (candidate: Candidate) => void,
): Steps<number> {
  let stale = 0;
  for (const chunk of source) {
    for (const candidate of chunk) {
      const current = reread(collection, candidate, matches);
      if (current) take(current);
      else stale += 1;
      if (sliceIsOver()) yield* yieldWhenDue(context);
    }
    yield* yieldWhenDue(context);
  }
  return stale;
}

/** Returns a document's current state; undefined if it was deleted or no longer matches. */
export function reread(
  collection: Collection | undefined,
  candidate: Candidate,
  matches: (document: Document) => boolean,
): Candidate | undefined {
  if (candidate.slice === currentSlice()) return candidate;
  const bytes = collection && !collection.dropped ? collection.read(candidate.record) : undefined;
  if (!bytes) return undefined;
  const current = new Candidate(candidate.record, bytes);
  return matches(current.document) ? current : undefined;
}

export function* runInSlices<Result>(context: CommandContext, work: Steps<Result>): Steps<Result> {
  for (let step = work.next(); ; step = work.next()) {
    if (step.done) return step.value;
    yield* yieldWhenDue(context);
  }
}

export function* forEachChunk<Chunk>(
  context: CommandContext,
  source: Iterable<Chunk>,
  take: (chunk: Chunk) => void,
): Steps<void> {
  for (const chunk of source) {
    take(chunk);
    yield* yieldWhenDue(context);
  }
}

/** Throws MaxTimeMSExpired after the time limit, and ClientDisconnect after a disconnect. */
export function checkTime(context: CommandContext): void {
  if (context.client.closed) throw new StoreError(279, 'ClientDisconnect', 'the client disconnected');
  if (context.deadline !== undefined && Date.now() > context.deadline) {
    throw maxTimeExpired('operation exceeded time limit');
  }
}

/** Converts a statement's error to an entry of `writeErrors`. Rethrows errors that end the command. */
export function writeErrorOf(error: unknown, index: number): Document {
  const known = requestError(error);
  if (!known || INTERRUPTIONS.has(known.code)) throw error;
  return { index, code: known.code, errmsg: known.message, ...known.extra };
}

/** MaxTimeMSExpired and ClientDisconnect end the whole command. */
const INTERRUPTIONS = new Set([50, 279]);

export const wordSet = (text: string): Set<string> => new Set(text.split(/\s+/));

export const GENERIC_FIELDS: ReadonlySet<string> = wordSet(
  `$db $readPreference $clusterTime $queryOptions lsid txnNumber stmtId autocommit startTransaction comment maxTimeMS
   readConcern writeConcern apiVersion apiStrict apiDeprecationErrors rawData`,
);

/** Further fields of MongoDB 7 commands that reject unknown fields. `create` has its own table. */
const FIELDS = new Map(
  Object.entries({
    aggregate: 'pipeline cursor explain allowDiskUse bypassDocumentValidation collation hint let',
    count: 'query limit skip hint collation fields',
    createIndexes: 'indexes commitQuorum ignoreUnknownIndexOptions',
    delete: 'deletes ordered let bypassDocumentValidation',
    distinct: 'key query collation hint',
    drop: '',
    dropDatabase: '',
    dropIndexes: 'index',
    explain: 'verbosity',
    find: `filter sort projection hint collation skip limit batchSize ntoreturn singleBatch allowDiskUse min max returnKey
      showRecordId tailable oplogReplay noCursorTimeout awaitData allowPartialResults let term readOnce`,
    findAndModify: `query sort update remove new fields upsert bypassDocumentValidation collation arrayFilters hint let`,
    getMore: 'collection batchSize term',
    insert: 'documents ordered bypassDocumentValidation',
    killCursors: 'cursors',
    listCollections: 'filter nameOnly authorizedCollections cursor',
    listDatabases: 'filter nameOnly authorizedDatabases',
    listIndexes: 'cursor',
    update: 'updates ordered let bypassDocumentValidation',
  }).map(([name, fields]) => [name, wordSet(fields)]),
);

export function checkFields(name: string, command: Document): void {
  const own = FIELDS.get(name);
  if (!own) return;
  for (const field in command) {
    if (own.has(field) || GENERIC_FIELDS.has(field) || (command[name] === command[field] && field === name)) continue;
    throw locationError(40415, `BSON field '${fieldPath(command, field)}' is an unknown field.`);
  }
}

/** A field's name in MongoDB's messages, which start with the command. */
function fieldPath(container: Document, field: string): string {
  const [first = ''] = Object.keys(container);
  if (!FIELDS.has(first)) return field;
  return `${first === 'find' ? 'FindCommandRequest' : first}.${field}`;
}
