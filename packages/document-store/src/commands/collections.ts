import { Binary, type Document } from 'bson';
import { badValue, locationError } from '../errors.ts';
import { compileFilter } from '../query/matcher.ts';
import type { Collection } from '../storage/collection.ts';
import type { Steps } from '../storage/scheduler.ts';
import {
  type CommandContext,
  collectionName,
  filterField,
  findCollection,
  flagField,
  GENERIC_FIELDS,
  runInSlices,
  wordSet,
} from './command.ts';
import { isEmpty } from './find.ts';

const IGNORED_OPTIONS = wordSet('autoIndexId idIndex validationLevel validationAction flags encryptedFields');

export function create(context: CommandContext): Document {
  const { command, database, store } = context;
  const name = collectionName(context);
  for (const [option, value] of Object.entries(command)) {
    if (option === 'create' || GENERIC_FIELDS.has(option) || IGNORED_OPTIONS.has(option)) continue;
    if (option === 'collation' || (option === 'capped' && !flagField(command, 'capped'))) continue;
    if (option === 'validator' && isEmpty(value)) continue;
    if (UNSUPPORTED_OPTIONS[option])
      throw badValue(`this server does not support ${UNSUPPORTED_OPTIONS[option]} (option '${option}' of create)`);
    throw locationError(40415, `BSON field 'create.${option}' is an unknown field.`);
  }
  // As in MongoDB 7, creating an existing collection again is not an error.
  if (!store.catalog.find(database, name)) store.catalog.create(database, name);
  return {};
}

const UNSUPPORTED_OPTIONS: Record<string, string> = Object.fromEntries(
  Object.entries({
    'capped collections': ['capped', 'size', 'max'],
    'time-series collections': ['timeseries', 'expireAfterSeconds'],
    views: ['viewOn', 'pipeline'],
    validators: ['validator'],
    'clustered collections': ['clusteredIndex'],
    'storage engine options': ['storageEngine', 'indexOptionDefaults'],
    'change streams': ['changeStreamPreAndPostImages'],
  }).flatMap(([kind, options]) => options.map((option) => [option, kind])),
);

export function drop(context: CommandContext): Document {
  const collection = findCollection(context);
  if (!collection) return {};
  const nIndexesWas = collection.indexes.length;
  context.store.catalog.drop(collection);
  return { nIndexesWas, ns: collection.namespace };
}

export function dropDatabase(context: CommandContext): Document {
  const { catalog } = context.store;
  const collections = catalog.collections(context.database);
  for (const collection of collections) catalog.drop(collection);
  return collections.length > 0 ? { dropped: context.database } : {};
}

export function listCollections(context: CommandContext): Document {
  const { command, database, store } = context;
  const matches = compileFilter(filterField(command, 'filter'));
  const found = store.catalog.collections(database).map(describe).filter(matches);
  const firstBatch = flagField(command, 'nameOnly') ? found.map(({ name, type }) => ({ name, type })) : found;
  return { cursor: { id: 0n, ns: `${database}.$cmd.listCollections`, firstBatch } };
}

function describe(collection: Collection): Document {
  return {
    name: collection.name,
    type: 'collection',
    options: {},
    info: { readOnly: false, uuid: new Binary(collection.uuid, Binary.SUBTYPE_UUID) },
    idIndex: collection.idIndex.definition.specification,
  };
}

export function* listDatabases(context: CommandContext): Steps<Document> {
  const { command, store } = context;
  const matches = compileFilter(filterField(command, 'filter'));
  const described: { name: string; sizeOnDisk: number; empty: boolean }[] = [];
  for (const name of store.catalog.databases()) {
    described.push({ name, sizeOnDisk: yield* runInSlices(context, store.sizeOf(name)), empty: false });
  }
  const databases = described.filter(matches);
  if (flagField(command, 'nameOnly')) return { databases: databases.map(({ name }) => ({ name })) };
  const totalSize = databases.reduce((sum, { sizeOnDisk }) => sum + sizeOnDisk, 0);
  return { databases, totalSize, totalSizeMb: Math.floor(totalSize / 1024 / 1024) };
}
