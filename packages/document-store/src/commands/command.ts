import { type Document, Int32, Long } from 'bson';
import { badValue, failedToParse, invalidNamespace, maxTimeExpired, StoreError, typeMismatch } from '../errors.ts';
import type { Collection } from '../storage/collection.ts';
import { numberOf, truthy } from '../storage/index-definition.ts';
import { sliceIsOver, type Work } from '../storage/turns.ts';
import type { Store } from '../store.ts';
import { isFields } from '../values/fields.ts';

/** The connection that a command came by. */
export interface Client {
  readonly id: number;
  /** True once nobody waits for answers any more. */
  readonly closed: boolean;
}

/** A command as it is being run. */
export interface CommandContext {
  store: Store;
  database: string;
  /** The name under which it was called, the first field of `command`. */
  name: string;
  command: Document;
  client: Client;
  /** When `maxTimeMS` is over, in milliseconds since the epoch. */
  deadline?: number;
}

/** Runs one command; its answer lacks only `ok`. Errors are thrown. */
export type CommandHandler = (context: CommandContext) => Work<Document>;

/** The collection's name that a command gives as its own value. Throws InvalidNamespace. */
export function collectionName(context: CommandContext): string {
  const name = context.command[context.name];
  if (typeof name !== 'string') {
    throw new StoreError(2, 'BadValue', `collection name has invalid type ${name === null ? 'null' : typeof name}`);
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
  if (!isFields(value)) throw typeMismatch(`Expected field ${name} to be of type object`);
  return value;
}

/** An array given under `name`. Throws FailedToParse when absent, TypeMismatch for anything else. */
export function arrayField(holder: Document, name: string): unknown[] {
  const value = holder[name];
  if (value === undefined) throw failedToParse(`BSON field '${name}' is missing but a required field`);
  if (!Array.isArray(value)) throw typeMismatch(`BSON field '${name}' is the wrong type, expected type 'array'`);
  return value;
}

/** A whole number of at least 0; undefined when absent. Throws BadValue and TypeMismatch. */
export function countField(holder: Document, name: string): number | undefined {
  const value = holder[name];
  if (value === undefined || value === null) return undefined;
  const number = numberOf(value);
  if (number === undefined) throw typeMismatch(`Expected field ${name} to be a number`);
  if (number < 0 || Number.isNaN(number)) {
    throw badValue(`BSON field '${name}' value must be >= 0, actual value '${number}'`);
  }
  return Math.trunc(number);
}

/** A yes or no; undefined when absent. */
export function flagField(holder: Document, name: string): boolean | undefined {
  const value = holder[name];
  return value === undefined || value === null ? undefined : truthy(value);
}

/** A 64-bit id. Throws TypeMismatch. */
export function longField(holder: Document, name: string): Long {
  const value = holder[name];
  if (value instanceof Long) return value;
  if (value instanceof Int32) return Long.fromInt(value.value);
  throw typeMismatch(`BSON field '${name}' is the wrong type, expected type 'long'`);
}

/** To be called between pieces of long work: yields when the slice is over, and ends what has no time left. */
export function* breathe(context: CommandContext): Generator<undefined, void> {
  if (!sliceIsOver()) return;
  yield;
  checkTime(context);
}

/** Throws MaxTimeMSExpired once the command's `maxTimeMS` is over, and ClientDisconnect once its client has gone. */
export function checkTime(context: CommandContext): void {
  if (context.client.closed) throw new StoreError(279, 'ClientDisconnect', 'the client has gone');
  if (context.deadline !== undefined && Date.now() > context.deadline) {
    throw maxTimeExpired('operation exceeded time limit');
  }
}

/** One entry of `writeErrors`. */
export function writeErrorOf(error: unknown, index: number): Document {
  if (!(error instanceof StoreError)) throw error;
  return { index, code: error.code, errmsg: error.message, ...error.extra };
}
