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
import { currentSlice, sliceIsOver, type Work } from '../storage/turns.ts';
import type { Store } from '../store.ts';
import { isFields } from '../values/fields.ts';
import { isNumber, nearestDouble } from '../values/numbers.ts';
import { typeName } from '../values/types.ts';
import { fieldPath } from './fields.ts';

/** The connection that a command came by. */
export interface Client {
  readonly id: number;
  /** True once nobody waits for answers any more. */
  readonly closed: boolean;
  /** True when it came by the Unix socket, which only the store's owner can open. */
  readonly isLocal: boolean;
  onceClosed(listener: () => void): void;
}

/** A command as it is being run. */
export interface CommandContext {
  store: Store;
  database: string;
  /** The name under which it was called, the first field of `command`. */
  name: string;
  command: Document;
  client: Client;
  /** Whether this server has a command of that name. */
  isCommand: (name: string) => boolean;
  /** When `maxTimeMS` is over, in milliseconds since the epoch. */
  deadline?: number;
}

/** Runs one command; its answer lacks only `ok`. Errors are thrown. */
export type CommandHandler = (context: CommandContext) => Work<Document>;

/** The collection's name that a command gives as its own value. Throws InvalidNamespace. */
export function collectionName(context: CommandContext): string {
  const name = context.command[context.name];
  if (typeof name !== 'string') {
    throw badValue(`collection name has invalid type ${typeName(name)}`);
  }
  if (name === '') throw invalidNamespace(`Invalid namespace specified '${context.database}.'`);
  return name;
}

/** The collection that the command is about, if there is one. */
export function findCollection(context: CommandContext): Collection | undefined {
  return context.store.catalog.find(context.database, collectionName(context));
}

/** A document given under `name`; undefined when absent. Throws TypeMismatch. */
export function documentField(holder: Document, name: string): Document | undefined {
  const value = holder[name];
  if (value === undefined || value === null) return undefined;
  if (!isFields(value)) throw wrongType(holder, name, "type 'object'");
  return value;
}

/** What a command or a statement finds its documents by, under `name`. */
export function filterField(holder: Document, name: string): Document {
  return documentField(holder, name) ?? {};
}

/** The scope of a command's expressions: the variables of its `let`, and `constants` besides. */
export function scopeOf(command: Document, constants?: Document): Scope {
  return Variables.of({ ...documentField(command, 'let'), ...constants });
}

/** An array given under `name`. Throws 40414 when absent, TypeMismatch for anything else. */
export function arrayField(holder: Document, name: string): unknown[] {
  const value = requiredField(holder, name);
  if (!Array.isArray(value)) throw wrongType(holder, name, "type 'array'");
  return value;
}

/** A string given under `name`. Throws 40414 when absent, TypeMismatch for anything else. */
export function stringField(holder: Document, name: string): string {
  const value = requiredField(holder, name);
  if (typeof value !== 'string') throw wrongType(holder, name, "type 'string'");
  return value;
}

/** A whole number of at least 0; undefined when absent. Throws 51024 and TypeMismatch. */
export function countField(holder: Document, name: string): number | undefined {
  const value = holder[name];
  if (value === undefined || value === null) return undefined;
  const number = nearestDouble(value);
  if (number === undefined) throw wrongType(holder, name, "types '[long, int, decimal, double']");
  if (number < 0) throw locationError(51024, `BSON field '${name}' value must be >= 0, actual value '${number}'`);
  return Math.trunc(number) || 0;
}

/** A yes or no; undefined when absent. Throws TypeMismatch for what is neither a boolean nor a number. */
export function flagField(holder: Document, name: string): boolean | undefined {
  const value = holder[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'boolean' && !isNumber(value)) {
    throw wrongType(holder, name, "types '[bool, long, int, decimal, double']");
  }
  return isTruthy(value);
}

/** A 64-bit id. Throws TypeMismatch. */
export function longField(holder: Document, name: string): Long {
  const value = holder[name];
  if (value instanceof Long) return value;
  if (value instanceof Int32) return Long.fromInt(value.value);
  throw wrongType(holder, name, "type 'long'");
}

function requiredField(holder: Document, name: string): unknown {
  const value = holder[name];
  if (value !== undefined) return value;
  throw locationError(40414, `BSON field '${fieldPath(holder, name)}' is missing but a required field`);
}

function wrongType(holder: Document, name: string, expected: string): StoreError {
  const type = typeName(holder[name]);
  return typeMismatch(`BSON field '${fieldPath(holder, name)}' is the wrong type '${type}', expected ${expected}`);
}

/** To be called between pieces of long work: yields when the slice is over, and ends what has no time left. */
export function* breathe(context: CommandContext): Generator<undefined, void> {
  if (!sliceIsOver()) return;
  yield;
  checkTime(context);
}

/** Takes the documents of a source one after another, with pauses whenever the slice is over. */
export function* eachCandidate(
  context: CommandContext,
  source: Source,
  take: (candidate: Candidate) => void,
): Generator<undefined, void> {
  for (const portion of source) {
    for (const candidate of portion) {
      take(candidate);
      if (sliceIsOver()) yield* breathe(context);
    }
    yield* breathe(context);
  }
}

/**
 * As `eachCandidate`, for commands that change what they find: a document that others may have changed during a pause is read again.
 * Returns how many no longer matched.
 */
export function* eachCurrent(
  context: CommandContext,
  collection: Collection | undefined,
  { source, matches }: Pick<Query, 'source' | 'matches'>,
  take: (candidate: Candidate) => void,
): Generator<undefined, number> {
  let lapsed = 0;
  for (const portion of source) {
    for (const candidate of portion) {
      const current = asItIs(collection, candidate, matches);
      if (current) take(current);
      else lapsed += 1;
      if (sliceIsOver()) yield* breathe(context);
    }
    yield* breathe(context);
  }
  return lapsed;
}

/** A document as it is stored now; undefined when it is gone or no longer matches. */
export function asItIs(
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

/** Runs work that yields between portions, with pauses where the slice is over. */
export function* inSlices<Result>(
  context: CommandContext,
  work: Generator<undefined, Result>,
): Generator<undefined, Result> {
  for (let step = work.next(); ; step = work.next()) {
    if (step.done) return step.value;
    yield* breathe(context);
  }
}

/** Takes the portions of a source one after another, with pauses between. */
export function* eachPortion<Portion>(
  context: CommandContext,
  source: Iterable<Portion>,
  take: (portion: Portion) => void,
): Generator<undefined, void> {
  for (const portion of source) {
    take(portion);
    yield* breathe(context);
  }
}

/** Throws MaxTimeMSExpired once the command's `maxTimeMS` is over, and ClientDisconnect once its client has gone. */
export function checkTime(context: CommandContext): void {
  if (context.client.closed) throw new StoreError(279, 'ClientDisconnect', 'the client has gone');
  if (context.deadline !== undefined && Date.now() > context.deadline) {
    throw maxTimeExpired('operation exceeded time limit');
  }
}

/** One entry of `writeErrors`. Throws errors that are not the statement's own. */
export function writeErrorOf(error: unknown, index: number): Document {
  const known = requestError(error);
  if (!known || INTERRUPTIONS.has(known.code)) throw error;
  return { index, code: known.code, errmsg: known.message, ...known.extra };
}

/** The whole command ends with these: MaxTimeMSExpired and ClientDisconnect. */
const INTERRUPTIONS = new Set([50, 279]);
