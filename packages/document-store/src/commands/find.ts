import { type Document, Long } from 'bson';
import { badValue } from '../errors.ts';
import { Cursor, FIRST_BATCH } from '../plan/cursors.ts';
import type { Plan } from '../plan/planner.ts';
import type { QueryRequest } from '../plan/query.ts';
import type { Candidate } from '../plan/source.ts';
import { compileProjection } from '../query/project.ts';
import type { RawDocument } from '../values/codec.ts';
import { copyFields, fieldNames, isFields, setField } from '../values/fields.ts';
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
const WITHOUT_LIMIT = Number.MAX_SAFE_INTEGER;

/** `find`: opens a query and answers with its first batch. */
export function* find(context: CommandContext): Generator<undefined, Document> {
  const { command, store } = context;
  const request = readQuery(command);
  const { source, plan } = store.openQuery(findCollection(context), request);
  const show = compileShown(command, request, plan);
  const cursor = new Cursor(`${context.database}.${collectionName(context)}`, source, show);
  const size = countField(command, 'batchSize');
  return yield* firstBatch(context, cursor, size, flagField(command, 'singleBatch') ?? false);
}

/** The query that a find command describes. Throws for options that this server does not have. */
export function readQuery(command: Document): QueryRequest {
  for (const option of ['tailable', 'awaitData']) {
    if (flagField(command, option)) throw badValue(`this server has no tailable cursors (option '${option}' of find)`);
  }
  return {
    filter: filterField(command, 'filter'),
    scope: scopeOf(command),
    sort: documentField(command, 'sort'),
    skip: countField(command, 'skip'),
    limit: countField(command, 'limit'),
    hint: isEmpty(command.hint) ? undefined : command.hint,
    min: isEmpty(command.min) ? undefined : documentField(command, 'min'),
    max: isEmpty(command.max) ? undefined : documentField(command, 'max'),
  };
}

/** Clients send an empty document where they mean none. */
export function isEmpty(value: unknown): boolean {
  return isFields(value) && fieldNames(value).length === 0;
}

/** What a find command shows of each document that it finds; undefined where that is all of it. */
function compileShown(
  command: Document,
  { filter, scope }: QueryRequest,
  plan: Plan,
): ((candidate: Candidate) => Document) | undefined {
  if (flagField(command, 'returnKey')) return (candidate) => indexKey(candidate, plan);
  const projection = filterField(command, 'projection');
  const withRecord = flagField(command, 'showRecordId');
  if (!withRecord && fieldNames(projection).length === 0) return undefined;
  const project = compileProjection(projection, filter, scope);
  if (!withRecord) return ({ document }) => project(document);
  return ({ document, record }) =>
    setField(copyFields(project(document)), '$recordId', Long.fromNumber(record)) as Document;
}

/** The fields of the index by which a document was found. */
function indexKey({ document, key }: Candidate, plan: Plan): Document {
  if (plan.kind === 'id') return { _id: document._id };
  if (plan.kind !== 'index' || !key) return {};
  const entry = plan.index.entriesOf(document).find(({ bytes }) => bytes.equals(key));
  return Object.fromEntries(plan.index.definition.fields.map(({ path }, at) => [path, entry?.values[at]]));
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
  const { command, database, store } = context;
  const id = longField(command, 'getMore');
  const size = countField(command, 'batchSize') || WITHOUT_LIMIT;
  const cursor = store.cursors.find(id, `${database}.${stringField(command, 'collection')}`);
  if (command.maxTimeMS) throw badValue('cannot set maxTimeMS on getMore command for a non-awaitData cursor');
  try {
    const documents = yield* cursor.nextBatch(size, () => checkTime(context));
    if (cursor.ended) store.cursors.close(cursor.id);
    return answer(cursor, 'nextBatch', documents, cursor.ended);
  } catch (error) {
    store.cursors.close(cursor.id);
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
