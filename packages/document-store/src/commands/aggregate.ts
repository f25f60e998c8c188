import type { Document } from 'bson';
import { readPipeline } from '../aggregate/pipeline.ts';
import { failedToParse, locationError } from '../errors.ts';
import { Cursor } from '../plan/cursors.ts';
import { isFields } from '../values/fields.ts';
import { arrayField, type CommandContext, countField, documentField, flagField } from './command.ts';
import { explain } from './explain.ts';
import { firstBatch } from './find.ts';
import { readOutput } from './output.ts';

/** `aggregate`: opens a pipeline and answers with its first batch. */
export function* aggregate(context: CommandContext): Generator<undefined, Document> {
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
