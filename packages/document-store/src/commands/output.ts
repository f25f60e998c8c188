import { randomUUID } from 'node:crypto';
import type { Document } from 'bson';
import { namedArguments } from '../aggregate/operator.ts';
import { badValue, locationError, queryPlanKilled, StoreError, typeMismatch } from '../errors.ts';
import type { Source } from '../plan/source.ts';
import { TEMPORARY } from '../storage/catalog.ts';
import { withId } from '../update/update.ts';
import { getField, isFields } from '../values/fields.ts';
import { type CommandContext, eachCandidate, scopeOf } from './command.ts';
import { checkInsertSize, insertDocument } from './insert.ts';
import { readUpdate, updateOne } from './update.ts';

type Output = (source: Source) => Generator<undefined, void>;
type Target = [database: string, name: string];

/** What a pipeline's last stage writes, where that is `$out` or `$merge`. */
export function readOutput(context: CommandContext, stage: unknown): Output | undefined {
  if (!isFields(stage)) return undefined;
  if ('$out' in stage) return replaceCollection(context, readTarget(context, getField(stage, '$out')));
  return '$merge' in stage ? mergeInto(context, getField(stage, '$merge')) : undefined;
}

function readTarget(context: CommandContext, given: unknown): Target {
  const target = typeof given === 'string' ? { coll: given } : given;
  const named = namedArguments(target, '$out', ['db?', 'coll'], 16990);
  const [database, name] = [named.get('db') ?? context.database, named.get('coll')];
  if (typeof database === 'string' && typeof name === 'string') return [database, name];
  throw typeMismatch('what a pipeline is written to must be named by strings');
}

/** Fills a collection of its own, and only at the end puts it in the place of the target. */
function replaceCollection(context: CommandContext, target: Target): Output {
  const { catalog, engine } = context.store;
  return function* (source) {
    const made = catalog.create(target[0], `${TEMPORARY}${randomUUID()}`);
    try {
      for (const { definition } of catalog.find(...target)?.indexes.slice(1) ?? []) {
        catalog.addIndex(made, definition).markReady();
      }
      yield* eachCandidate(context, source, ({ document }) => {
        if (!made.dropped) insertDocument(made, document, checkInsertSize);
      });
      if (made.dropped) throw queryPlanKilled('the collection was dropped while $out filled it');
      const before = catalog.find(...target);
      if (before) catalog.drop(before);
      catalog.rename(made, target[1]);
    } catch (error) {
      if (!made.dropped) catalog.drop(made);
      // That it is gone must outlive the error, which rolls the command back.
      engine.keepCommand();
      throw error;
    }
  };
}

const WHEN_MATCHED = new Set<unknown>(['replace', 'keepExisting', 'merge', 'fail']);
const WHEN_NOT_MATCHED = new Set<unknown>(['insert', 'discard', 'fail']);

function mergeInto(context: CommandContext, given: unknown): Output {
  const { command, store } = context;
  const names = ['into', 'on?', 'whenMatched?', 'whenNotMatched?'];
  const options = typeof given === 'string' ? { into: given } : given;
  const named = namedArguments(options, '$merge', names, 51182);
  const target = readTarget(context, named.get('into'));
  const matched = named.get('whenMatched') ?? 'merge';
  const other = named.get('whenNotMatched') ?? 'insert';
  if (String(named.get('on') ?? '_id') !== '_id') throw locationError(51183, 'this server merges by _id only');
  if (!(Array.isArray(matched) || WHEN_MATCHED.has(matched)) || !WHEN_NOT_MATCHED.has(other)) {
    throw badValue(`$merge can't ${matched} and ${other}`);
  }
  const write = (given: Document): void => {
    const document = withId(given);
    const collection = store.catalog.findOrCreate(...target);
    const filter = { _id: { $eq: document._id } };
    const found = store.openQuery(collection, { filter, limit: 1 }).source.next().value?.[0];
    if (!found && other === 'fail')
      throw new StoreError(13113, 'MergeStageNoMatchingDocument', 'nothing to merge with');
    if (found ? matched === 'fail' : other === 'insert') insertDocument(collection, document, checkInsertSize);
    if (!found || matched === 'keepExisting') return;
    const update = matched === 'replace' ? document : matched === 'merge' ? { $set: document } : matched;
    const scope = scopeOf(command, { new: { $literal: document } });
    updateOne(collection, found, readUpdate(update, { filter, scope }));
  };
  return (source) =>
    eachCandidate(context, source, ({ document }) => {
      write(document);
    });
}
