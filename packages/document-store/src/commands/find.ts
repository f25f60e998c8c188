import { type Document, Long } from 'bson';
import { badValue } from '../errors.ts';
import { Cursor, FIRST_BATCH } from '../plan/cursors.ts';
import type { QueryRequest } from '../plan/query.ts';
import { compileProjection } from '../query/project.ts';
import { refuseCollation } from '../storage/index-definition.ts';
import type { RawDocument } from '../values/codec.ts';
import { fieldNames } from '../values/fields.ts';
import {
  arrayField,
  type CommandContext,
  checkTime,
  collectionName,
  countField,
  documentField,
  findCollection,
  flagField,
  longField,
} from './command.ts';

const NO_CURSOR = Long.ZERO;
const WITHOUT_LIMIT = Number.MAX_SAFE_INTEGER;
const UNSUPPORTED = ['min', 'max', 'returnKey', 'showRecordId', 'tailable', 'awaitData', 'oplogReplay', 'term', 'let'];

/** `find`: opens a query and answers with its first batch. */
export function* find(context: CommandContext): Generator<undefined, Document> {
  const { command, store } = context;
  const request = readQuery(command);
  const projection = documentField(command, 'projection');
  const project =
    projection && fieldNames(projection).length > 0 ? compileProjection(projection, request.filter) : undefined;
  const { source } = store.openQuery(findCollection(context), request);
  const cursor = new Cursor(`${context.database}.${collectionName(context)}`, source, project);
  const size = countField(command, 'batchSize');
  return yield* firstBatch(context, cursor, size, flagField(command, 'singleBatch') ?? false);
}

/** The query that a find command describes. Throws for options that this server does not have. */
export function readQuery(command: Document): QueryRequest {
  for (const option of UNSUPPORTED) {
    if (command[option] !== undefined && flagField(command, option) !== false && !isEmpty(command[option])) {
      throw badValue(`this server has no option '${option}' of find`);
    }
  }
  refuseCollation(command.collation);
  return {
    filter: documentField(command, 'filter') ?? {},
    sort: documentField(command, 'sort'),
    skip: countField(command, 'skip'),
    limit: countField(command, 'limit'),
    hint: command.hint,
  };
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** Answers with a cursor's first batch, and keeps the cursor if there is more. */
export function* firstBatch(
  context: CommandContext,
  cursor: Cursor,
  size: number | undefined,
  single: boolean,
): Generator<undefined, Document> {
  const documents = yield* cursor.nextBatch(size ?? FIRST_BATCH, () => checkTime(context));
  const ended = cursor.ended || single;
  if (!ended) context.store.cursors.keep(cursor);
  return answer(cursor, 'firstBatch', documents, ended);
}

function answer(cursor: Cursor, name: string, documents: RawDocument[], ended: boolean): Document {
  return { cursor: { [name]: documents, id: ended ? NO_CURSOR : cursor.id, ns: cursor.namespace } };
}

/** `getMore`: the next batch of a cursor. */
export function* getMore(context: CommandContext): Generator<undefined, Document> {
  const { cursors } = context.store;
  const name = context.command.collection;
  const cursor = cursors.find(longField(context.command, 'getMore'), `${context.database}.${String(name)}`);
  const size = countField(context.command, 'batchSize') || WITHOUT_LIMIT;
  try {
    const documents = yield* cursor.nextBatch(size, () => checkTime(context));
    if (cursor.ended) cursors.close(cursor.id);
    return answer(cursor, 'nextBatch', documents, cursor.ended);
  } catch (error) {
    cursors.close(cursor.id);
    throw error;
  }
}

/** `killCursors`. */
export function killCursors(context: CommandContext): Document {
  const cursorsKilled: Long[] = [];
  const cursorsNotFound: Long[] = [];
  for (const id of arrayField(context.command, 'cursors')) {
    const killed = id instanceof Long && context.store.cursors.close(id);
    (killed ? cursorsKilled : cursorsNotFound).push(id as Long);
  }
  return { cursorsKilled, cursorsNotFound, cursorsAlive: [], cursorsUnknown: [] };
}
