import { randomUUID } from 'node:crypto';
import type { Document } from 'bson';
import { readNamedArguments } from '../aggregate/operator.ts';
import { readPipeline } from '../aggregate/pipeline.ts';
import { badValue, failedToParse, locationError, queryPlanKilled, StoreError, typeMismatch } from '../errors.ts';
import { Cursor } from '../plan/cursors.ts';
import { openQuery } from '../plan/query.ts';
import type { Source } from '../plan/source.ts';
import { TEMPORARY_PREFIX } from '../storage/catalog.ts';
import type { Steps } from '../storage/scheduler.ts';
import { withId } from '../update/update.ts';
import { getField, isFields } from '../values/fields.ts';
import {
  arrayField,
  type CommandContext,
  countField,
  documentField,
  flagField,
  forEachCandidate,
  scopeOf,
} from './command.ts';
import { explain } from './explain.ts';
import { firstBatch } from './find.ts';
import { checkInsertSize, insertDocument } from './insert.ts';
import { prepareUpdate, updateOne } from './update.ts';

export function* aggregate(context: CommandContext): Steps<Document> {
  const { command, database, store } = context;
  if (flagField(command, 'explain')) {
    const { explain: _, ...explained } = command;
    return yield* explain({ ...context, command: { explain: explained, verbosity: 'queryPlanner' } });
  }
  const pipeline = arrayField(command, 'pipeline');
  if (pipeline.some((stage) => isFields(stage) && '$changeStream' in stage)) {
    throw locationError(40573, 'The $changeStream stage is only supported on replica sets');
  }
  const options = documentField(command, 'cursor');
  if (!options) throw failedToParse("The 'cursor' option is required, except for aggregate with the explain argument");
  const output = readOutput(context, pipeline.at(-1));
  const read = output ? { ...command, pipeline: pipeline.slice(0, -1) } : command;
  const source = readPipeline(store, database, read).open(undefined, command.hint);
  if (output) yield* output(source);
  const cursor = new Cursor(`${database}.${command.aggregate}`, source);
  return yield* firstBatch(context, cursor, countField(options, 'batchSize'), false);
}

type WriteOutput = (source: Source) => Steps<void>;
type Target = [database: string, name: string];

function readOutput(context: CommandContext, stage: unknown): WriteOutput | undefined {
  if (!isFields(stage)) return undefined;
  if ('$out' in stage) return writeOut(context, readTarget(context, getField(stage, '$out')));
  return '$merge' in stage ? writeMerge(context, getField(stage, '$merge')) : undefined;
}

function readTarget(context: CommandContext, given: unknown): Target {
  const target = typeof given === 'string' ? { coll: given } : given;
  const named = readNamedArguments(target, '$out', ['db?', 'coll'], 16990);
  const [database, name] = [named.get('db') ?? context.database, named.get('coll')];
  if (typeof database === 'string' && typeof name === 'string') return [database, name];
  throw typeMismatch('$out and $merge need the name of a collection');
}

/** Fills a temporary collection, then replaces the target with it. */
function writeOut(context: CommandContext, target: Target): WriteOutput {
  const { catalog, engine } = context.store;
  return function* (source) {
    const temporary = catalog.create(target[0], `${TEMPORARY_PREFIX}${randomUUID()}`);
    try {
      for (const { definition } of catalog.find(...target)?.indexes.slice(1) ?? []) {
        catalog.addIndex(temporary, definition).markReady();
      }
      yield* forEachCandidate(context, source, ({ document }) => {
        if (!temporary.dropped) insertDocument(temporary, document, checkInsertSize);
      });
      if (temporary.dropped) throw queryPlanKilled('the collection was dropped while $out was filling it');
      const before = catalog.find(...target);
      if (before) catalog.drop(before);
      catalog.rename(temporary, target[1]);
    } catch (error) {
      if (!temporary.dropped) catalog.drop(temporary);
      // The drop must survive the rollback that follows the error.
      engine.keepCommand();
      throw error;
    }
  };
}

const WHEN_MATCHED = new Set<unknown>(['replace', 'keepExisting', 'merge', 'fail']);
const WHEN_NOT_MATCHED = new Set<unknown>(['insert', 'discard', 'fail']);

function writeMerge(context: CommandContext, given: unknown): WriteOutput {
  const { command, store } = context;
  const names = ['into', 'on?', 'whenMatched?', 'whenNotMatched?'];
  const options = typeof given === 'string' ? { into: given } : given;
  const named = readNamedArguments(options, '$merge', names, 51182);
  const target = readTarget(context, named.get('into'));
  const matched = named.get('whenMatched') ?? 'merge';
  const other = named.get('whenNotMatched') ?? 'insert';
  if (String(named.get('on') ?? '_id') !== '_id') throw locationError(51183, 'this server merges only by _id');
  if (!(Array.isArray(matched) || WHEN_MATCHED.has(matched)) || !WHEN_NOT_MATCHED.has(other)) {
    throw badValue(`$merge does not support whenMatched ${matched} with whenNotMatched ${other}`);
  }
  const write = (given: Document): void => {
    const document = withId(given);
    const collection = store.catalog.findOrCreate(...target);
    const filter = { _id: { $eq: document._id } };
    const found = openQuery(collection, { filter, limit: 1 }).source.next().value?.[0];
    if (!found && other === 'fail')
      throw new StoreError(13113, 'MergeStageNoMatchingDocument', 'no document to merge with');
    if (found ? matched === 'fail' : other === 'insert') insertDocument(collection, document, checkInsertSize);
    if (!found || matched === 'keepExisting') return;
    const update = matched === 'replace' ? document : matched === 'merge' ? { $set: document } : matched;
    const scope = scopeOf(command, { new: { $literal: document } });
    updateOne(collection, found, prepareUpdate(update, { filter, scope }));
  };
  return (source) =>
    forEachCandidate(context, source, ({ document }) => {
      write(document);
    });
}
