import { type Document, Double } from 'bson';
import { badValue, locationError } from '../errors.ts';
import { reserveMemory } from '../memory.ts';
import { countQuery, openQuery } from '../plan/query.ts';
import type { Steps } from '../storage/scheduler.ts';
import { MAX_DOCUMENT_BYTES } from '../values/codec.ts';
import { keyText } from '../values/keys.ts';
import { isNumber, nearestDouble } from '../values/numbers.ts';
import { compilePath, visitPath } from '../values/path.ts';
import {
  type CommandContext,
  countField,
  filterField,
  findCollection,
  forEachCandidate,
  forEachChunk,
  stringField,
} from './command.ts';

export function* count(context: CommandContext): Steps<Document> {
  const { command } = context;
  const filter = filterField(command, 'query');
  const { limit: given } = command;
  const limit = countField(
    { ...command, limit: isNumber(given) ? new Double(Math.abs(nearestDouble(given) as number)) : given },
    'limit',
  );
  const skip = countField(command, 'skip');
  const collection = findCollection(context);
  let n = 0;
  yield* forEachChunk(context, countQuery(collection, { filter, limit, skip, hint: command.hint }), (chunk) => {
    n += chunk;
  });
  return { n };
}

export function* distinct(context: CommandContext): Steps<Document> {
  const { command } = context;
  const name = stringField(command, 'key');
  if (name === '' || name.includes('\0')) throw badValue('distinct needs a field name');
  const path = compilePath(name);
  const filter = filterField(command, 'query');
  const collection = findCollection(context);
  const values = new Map<string, unknown>();
  let bytes = 0;
  const { source } = openQuery(collection, { filter, hint: command.hint });
  yield* forEachCandidate(context, source, ({ document }) => {
    const before = bytes;
    visitPath(document, path, false, (found) => {
      for (const value of Array.isArray(found) ? found : [found]) {
        if (value === undefined) continue;
        const key = keyText(value);
        if (!values.has(key)) bytes += key.length;
        values.set(key, values.get(key) ?? value);
      }
      return false;
    });
    if (bytes > before) reserveMemory(4 * (bytes - before), 'distinct values');
    if (bytes > MAX_DOCUMENT_BYTES) throw locationError(17217, 'distinct too big, 16mb cap');
  });
  return { values: [...values.values()] };
}
