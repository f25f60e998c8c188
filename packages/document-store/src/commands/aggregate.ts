import type { Document } from 'bson';
import { failedToParse, locationError } from '../errors.ts';
import { Cursor } from '../plan/cursors.ts';
import { openPipeline } from '../plan/pipeline.ts';
import { refuseCollation } from '../storage/index-definition.ts';
import { arrayField, type CommandContext, countField, documentField } from './command.ts';
import { firstBatch } from './find.ts';

/** `aggregate`: opens a pipeline and answers with its first batch. */
export function* aggregate(context: CommandContext): Generator<undefined, Document> {
  const { command, database, store } = context;
  refuseCollation(command.collation);
  const stages = arrayField(command, 'pipeline') as Document[];
  if (stages.some((stage) => '$changeStream' in stage)) {
    throw locationError(40573, 'The $changeStream stage is only supported on replica sets');
  }
  if (typeof command.aggregate !== 'string') throw failedToParse('this server aggregates collections only');
  const options = documentField(command, 'cursor');
  if (!options) throw failedToParse("The 'cursor' option is required, except for aggregate with the explain argument");
  if (stages.some((stage) => Object.keys(stage).length !== 1)) {
    throw locationError(40323, 'A pipeline stage specification object must contain exactly one field.');
  }
  const collection = store.catalog.find(database, command.aggregate);
  const source = openPipeline(store, collection, stages, command.hint);
  const cursor = new Cursor(`${database}.${command.aggregate}`, source);
  return yield* firstBatch(context, cursor, countField(options, 'batchSize'), false);
}
