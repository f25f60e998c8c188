import type { Document } from 'bson';
import { failedToParse } from '../errors.ts';
import { openQuery } from '../plan/query.ts';
import { rejectCollation } from '../storage/index-definition.ts';
import type { Steps } from '../storage/scheduler.ts';
import { nearestDouble } from '../values/numbers.ts';
import { type CommandContext, filterField, findCollection, forEachCurrent, scopeOf } from './command.ts';
import { readStatement, runStatements } from './statements.ts';

export function* deleteDocuments(context: CommandContext): Steps<Document> {
  let n = 0;
  const writeErrors = yield* runStatements(context, 'deletes', function* (given) {
    n += yield* deleteMatching(context, readStatement(given, 'delete.deletes', ['q', 'limit'], ['hint', 'collation']));
  });
  return { n, writeErrors };
}

function* deleteMatching(context: CommandContext, statement: Document): Steps<number> {
  rejectCollation(statement.collation);
  const limit = nearestDouble(statement.limit);
  if (limit !== 0 && limit !== 1) {
    throw failedToParse(`The limit field in delete objects must be 0 or 1. Got ${String(statement.limit)}`);
  }
  const collection = findCollection(context);
  const request = { filter: filterField(statement, 'q'), scope: scopeOf(context.command), limit, hint: statement.hint };
  let removed = 0;
  let stale: number;
  do {
    stale = yield* forEachCurrent(context, collection, openQuery(collection, request), (candidate) => {
      collection?.remove(candidate.record, candidate.document);
      removed += 1;
    });
  } while (limit === 1 && removed === 0 && stale > 0);
  return removed;
}
