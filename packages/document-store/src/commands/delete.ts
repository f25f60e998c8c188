import type { Document } from 'bson';
import { failedToParse, invalidLength } from '../errors.ts';
import { numberOf, refuseCollation } from '../storage/index-definition.ts';
import {
  arrayField,
  breathe,
  type CommandContext,
  documentField,
  findCollection,
  flagField,
  writeErrorOf,
} from './command.ts';

const MAX_BATCH = 100_000;

/** `delete`: each statement removes the first match, or with `limit: 0` all. */
export function* deleteDocuments(context: CommandContext): Generator<undefined, Document> {
  const statements = arrayField(context.command, 'deletes') as Document[];
  if (statements.length === 0 || statements.length > MAX_BATCH) {
    throw invalidLength(`Write batch sizes must be between 1 and ${MAX_BATCH}. Got ${statements.length} operations.`);
  }
  const ordered = flagField(context.command, 'ordered') ?? true;
  const writeErrors: Document[] = [];
  let n = 0;
  for (let at = 0; at < statements.length; at++) {
    yield* breathe(context);
    try {
      n += yield* deleteMatching(context, statements[at] as Document);
    } catch (error) {
      writeErrors.push(writeErrorOf(error, at));
      if (ordered) break;
    }
  }
  return { n, writeErrors: writeErrors.length > 0 ? writeErrors : undefined };
}

function* deleteMatching(context: CommandContext, statement: Document): Generator<undefined, number> {
  refuseCollation(statement.collation);
  const limit = numberOf(statement.limit);
  if (limit !== 0 && limit !== 1) {
    throw failedToParse(`The limit field in delete objects must be 0 or 1. Got ${String(statement.limit)}`);
  }
  const collection = findCollection(context);
  const filter = documentField(statement, 'q') ?? {};
  const { source } = context.store.openQuery(collection, { filter, limit, hint: statement.hint });
  let removed = 0;
  for (let portion = source.pull(); portion; portion = source.pull()) {
    for (const { record, document } of portion) collection?.remove(record, document);
    removed += portion.length;
    yield* breathe(context);
  }
  return removed;
}
