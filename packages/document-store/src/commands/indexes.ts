import type { Document } from 'bson';
import {
  badValue,
  cannotCreateIndex,
  indexKeySpecsConflict,
  indexNotFound,
  indexOptionsConflict,
  namespaceNotFound,
  StoreError,
  typeMismatch,
} from '../errors.ts';
import { scan } from '../plan/scan.ts';
import { isTruthy } from '../query/match-operators.ts';
import type { Collection } from '../storage/collection.ts';
import { duplicateKeyError } from '../storage/collection.ts';
import type { CollectionIndex } from '../storage/collection-index.ts';
import { type IndexDefinition, readIndexDefinition, sameKey, sameOptions } from '../storage/index-definition.ts';
import type { Steps } from '../storage/scheduler.ts';
import { describeValue } from '../values/describe-value.ts';
import { getField, isFields } from '../values/fields.ts';
import { equalValues } from '../values/order.ts';
import { arrayField, type CommandContext, collectionName, findCollection, forEachCurrent } from './command.ts';

const MAX_INDEXES = 64;

export function* createIndexes(context: CommandContext): Steps<Document> {
  const { catalog } = context.store;
  const definitions = arrayField(context.command, 'indexes').map((specification) => {
    if (!isFields(specification)) throw badValue('an index specification must be an object');
    const definition = readIndexDefinition(specification as Document);
    if (isTruthy(getField(specification, 'hidden')))
      throw cannotCreateIndex('this server does not support hidden indexes');
    return definition;
  });
  if (definitions.length === 0) throw badValue('Must specify at least one index to create');
  const existed = findCollection(context) !== undefined;
  const collection = catalog.findOrCreate(context.database, collectionName(context));
  const numIndexesBefore = collection.indexes.length;
  for (const definition of definitions) {
    const index = findEquivalent(collection, definition);
    if (index?.isAbandoned) catalog.dropIndex(collection, index.name);
    if (index && !index.isAbandoned) yield* waitUntilBuilt(collection, index);
    else yield* buildIndex(context, collection, definition);
  }
  const numIndexesAfter = collection.indexes.length;
  return {
    numIndexesBefore,
    numIndexesAfter,
    createdCollectionAutomatically: existed ? undefined : true,
    note: numIndexesAfter === numIndexesBefore ? 'all indexes already exist' : undefined,
  };
}

/** Finds the index that the definition describes. Throws if another one conflicts with it. */
function findEquivalent(collection: Collection, definition: IndexDefinition): CollectionIndex | undefined {
  const sameName = collection.indexes.find((index) => index.name === definition.name);
  const sameFields = collection.indexes.find(
    (index) =>
      sameKey(index.definition, definition) && equalValues(index.definition.partialFilter, definition.partialFilter),
  );
  if (sameFields === collection.idIndex) return sameFields;
  if (sameName && !sameKey(sameName.definition, definition)) {
    throw indexKeySpecsConflict(
      `An existing index has the same name as the requested index, but a different key: ${definition.name}`,
    );
  }
  if (sameName && !sameOptions(sameName.definition, definition)) {
    throw indexKeySpecsConflict(
      `An existing index has the same name as the requested index, but different options: ${definition.name}`,
    );
  }
  if (sameFields && sameFields !== sameName) {
    throw indexOptionsConflict(`Index already exists with a different name: ${sameFields.name}`);
  }
  return sameName;
}

function* waitUntilBuilt(collection: Collection, index: CollectionIndex): Steps<void> {
  while (!index.ready) {
    yield;
    if (!collection.indexes.includes(index)) throw new StoreError(276, 'IndexBuildAborted', 'the index build failed');
  }
}

function* buildIndex(context: CommandContext, collection: Collection, definition: IndexDefinition): Steps<void> {
  const { catalog, engine } = context.store;
  if (collection.indexes.length >= MAX_INDEXES) {
    throw cannotCreateIndex(`add index fails, too many indexes for ${collection.namespace}`);
  }
  const index = catalog.addIndex(collection, definition);
  try {
    // From now on, writes update the new index. Existing documents are added in chunks.
    const plan = { kind: 'collection', backwards: false, sorted: false, exact: true } as const;
    const all = { source: scan(collection, plan), matches: () => true };
    yield* forEachCurrent(context, collection, all, ({ record, document }) => {
      addToIndex(collection, index, record, document);
    });
    index.markReady();
  } catch (error) {
    // If the disk is too full to remove the index, the next createIndexes removes it.
    index.isAbandoned = true;
    if (!collection.dropped && collection.indexes.includes(index)) catalog.dropIndex(collection, index.name);
    // The removal must survive the rollback that follows the error.
    engine.keepCommand();
    throw error;
  }
}

function addToIndex(collection: Collection, index: CollectionIndex, record: number, document: Document): void {
  for (const entry of index.entriesOf(document)) {
    if (index.definition.unique && index.isTaken(entry.bytes, record)) {
      throw duplicateKeyError(collection.namespace, index, entry.values);
    }
    index.add(entry.bytes, record);
  }
}

function existingCollection(context: CommandContext): Collection {
  const collection = findCollection(context);
  if (collection) return collection;
  throw namespaceNotFound(`ns does not exist: ${context.database}.${collectionName(context)}`);
}

export function listIndexes(context: CommandContext): Document {
  const collection = existingCollection(context);
  const ready = collection.indexes.filter((index) => index.ready);
  return {
    cursor: { id: 0n, ns: collection.namespace, firstBatch: ready.map((index) => index.definition.specification) },
  };
}

/** Drops indexes by name, key, or list of names, or with `*` all but the one on `_id`. */
export function dropIndexes(context: CommandContext): Document {
  const collection = existingCollection(context);
  const nIndexesWas = collection.indexes.length;
  for (const name of indexNames(collection, context.command.index)) context.store.catalog.dropIndex(collection, name);
  return { nIndexesWas };
}

function indexNames(collection: Collection, given: unknown): string[] {
  const { idIndex, indexes } = collection;
  if (given === '*') return indexes.filter((index) => index !== idIndex).map(({ name }) => name);
  let names = Array.isArray(given) ? given.map(String) : [String(given)];
  if (isFields(given)) {
    const index = indexes.find(({ definition }) => equalValues(definition.specification.key, given));
    if (!index) throw indexNotFound(`can't find index with key: ${describeValue(given)}`);
    names = [index.name];
  } else if (typeof given !== 'string' && !Array.isArray(given)) {
    throw typeMismatch("BSON field 'dropIndexes.index' is the wrong type, expected types '[string, object]'");
  }
  if (names.includes(idIndex.name)) throw new StoreError(72, 'InvalidOptions', 'cannot drop _id index');
  return names;
}
