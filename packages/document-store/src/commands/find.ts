import { type Document, Long } from 'bson';
import { badValue } from '../errors.ts';
import { Cursor, FIRST_BATCH_SIZE } from '../plan/cursors.ts';
import { openQuery, type QueryRequest } from '../plan/query.ts';
import { compileProjection } from '../query/project.ts';
import type { Steps } from '../storage/scheduler.ts';
import type { RawDocument } from '../values/codec.ts';
import { fieldNames, isFields } from '../values/fields.ts';
import {
  arrayField,
  type CommandContext,
  checkTime,
  collectionName,
  countField,
  documentField,
  filterField,
  findCollection,
  flagField,
  longField,
  scopeOf,
  stringField,
} from './command.ts';

const NO_CURSOR = Long.ZERO;
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

export function* find(context: CommandContext): Steps<Document> {
  const { command } = context;
  const request = readQuery(command);
  const projection = filterField(command, 'projection');
  const show = isEmpty(projection) ? undefined : compileProjection(projection, request.filter, request.scope);
  const { source } = openQuery(findCollection(context), request);
  const cursor = new Cursor(`${context.database}.${collectionName(context)}`, source, show);
  const size = countField(command, 'batchSize');
  return yield* firstBatch(context, cursor, size, flagField(command, 'singleBatch') ?? false);
}

export function readQuery(command: Document): QueryRequest {
  for (const option of ['tailable', 'awaitData', 'returnKey', 'showRecordId']) {
    if (flagField(command, option)) throw badValue(`this server does not support the option '${option}' of find`);
  }
  for (const option of ['min', 'max']) {
    if (!isEmpty(command[option] ?? {})) throw badValue(`this server does not support the option '${option}' of find`);
  }
  return {
    filter: filterField(command, 'filter'),
    scope: scopeOf(command),
    sort: documentField(command, 'sort'),
    skip: countField(command, 'skip'),
    limit: countField(command, 'limit'),
    hint: isEmpty(command.hint) ? undefined : command.hint,
  };
}

/** Clients send an empty document to mean none. */
export function isEmpty(value: unknown): boolean {
  return isFields(value) && fieldNames(value).length === 0;
}

export function* firstBatch(
  context: CommandContext,
  cursor: Cursor,
  size: number | undefined,
  single: boolean,
): Steps<Document> {
  let isKept = false;
  try {
    const documents = yield* cursor.nextBatch(size ?? FIRST_BATCH_SIZE, () => checkTime(context));
    const ended = cursor.ended || single;
    if (!ended) context.store.cursors.add(cursor);
    isKept = !ended;
    return cursorReply(cursor, 'firstBatch', documents, ended);
  } finally {
    if (!isKept) cursor.close();
  }
}

function cursorReply(cursor: Cursor, name: string, documents: RawDocument[], ended: boolean): Document {
  return { cursor: { [name]: documents, id: ended ? NO_CURSOR : cursor.id, ns: cursor.namespace } };
}

export function* getMore(context: CommandContext): Steps<Document> {
  const { command, database, store } = context;
  const id = longField(command, 'getMore');
  const size = countField(command, 'batchSize') || NO_LIMIT;
  const cursor = store.cursors.find(id, `${database}.${stringField(command, 'collection')}`);
  if (command.maxTimeMS) throw badValue('cannot set maxTimeMS on getMore command for a non-awaitData cursor');
  try {
    const documents = yield* cursor.nextBatch(size, () => checkTime(context));
    if (cursor.ended) store.cursors.close(cursor.id);
    return cursorReply(cursor, 'nextBatch', documents, cursor.ended);
  } catch (error) {
    store.cursors.close(cursor.id);
    throw error;
  }
}

export function killCursors(context: CommandContext): Document {
  const killed = Map.groupBy(arrayField(context.command, 'cursors'), (id) => {
    return id instanceof Long && context.store.cursors.close(id);
  });
  const [cursorsKilled, cursorsNotFound] = [killed.get(true) ?? [], killed.get(false) ?? []];
  return { cursorsKilled, cursorsNotFound, cursorsAlive: [], cursorsUnknown: [] };
}
