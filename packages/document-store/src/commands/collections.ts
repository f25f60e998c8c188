import { Binary, type Document } from 'bson';
import { badValue, invalidNamespace, locationError, namespaceExists, namespaceNotFound } from '../errors.ts';
import { compileFilter } from '../query/matcher.ts';
import { checkDatabaseName } from '../storage/catalog.ts';
import type { Collection } from '../storage/collection.ts';
import { type CommandContext, collectionName, filterField, findCollection, flagField } from './command.ts';
import { GENERIC_FIELDS } from './fields.ts';
import { isEmpty } from './find.ts';

const HARMLESS = new Set(['autoIndexId', 'idIndex', 'validationLevel', 'validationAction', 'flags', 'encryptedFields']);

/** `create`: a plain collection; whatever would make it another kind is refused. */
export function create(context: CommandContext): Document {
  const { command, database, store } = context;
  const name = collectionName(context);
  for (const [option, value] of Object.entries(command)) {
    if (option === 'create' || GENERIC_FIELDS.has(option) || HARMLESS.has(option)) continue;
    if (option === 'collation' || (option === 'capped' && !flagField(command, 'capped'))) continue;
    if (option === 'validator' && isEmpty(value)) continue;
    if (KINDS[option]) throw badValue(`this server has no ${KINDS[option]} (option '${option}' of create)`);
    throw locationError(40415, `BSON field 'create.${option}' is an unknown field.`);
  }
  // Like MongoDB 7, creating once more what is there is no error when nothing differs.
  if (!store.catalog.find(database, name)) store.catalog.create(database, name);
  return {};
}

const KINDS: Record<string, string> = {
  capped: 'capped collections',
  size: 'capped collections',
  max: 'capped collections',
  timeseries: 'time-series collections',
  expireAfterSeconds: 'time-series collections',
  viewOn: 'views',
  pipeline: 'views',
  validator: 'validators',
  clusteredIndex: 'clustered collections',
  storageEngine: 'storage engine options',
  indexOptionDefaults: 'storage engine options',
  changeStreamPreAndPostImages: 'change streams',
};

/** `drop`. */
export function drop(context: CommandContext): Document {
  const collection = findCollection(context);
  if (!collection) return {};
  const nIndexesWas = collection.indexes.length;
  context.store.catalog.drop(collection);
  return { nIndexesWas, ns: collection.namespace };
}

/** `dropDatabase`. */
export function dropDatabase(context: CommandContext): Document {
  const { catalog } = context.store;
  const collections = catalog.collections(context.database);
  for (const collection of collections) catalog.drop(collection);
  return collections.length > 0 ? { dropped: context.database } : {};
}

/** `renameCollection`, within one database. */
export function renameCollection(context: CommandContext): Document {
  const { catalog } = context.store;
  const [fromDatabase, from] = splitNamespace(context.command.renameCollection);
  const [toDatabase, to] = splitNamespace(context.command.to);
  if (fromDatabase !== toDatabase) throw badValue('this server renames collections only within their database');
  const collection = catalog.find(fromDatabase, from);
  if (!collection) throw namespaceNotFound(`Source collection ${fromDatabase}.${from} does not exist`);
  const target = catalog.find(toDatabase, to);
  if (target) {
    if (!flagField(context.command, 'dropTarget')) throw namespaceExists('target namespace exists');
    catalog.drop(target);
  }
  catalog.rename(collection, to);
  return {};
}

function splitNamespace(namespace: unknown): [string, string] {
  const dot = typeof namespace === 'string' ? namespace.indexOf('.') : -1;
  if (dot < 1) throw invalidNamespace(`Invalid namespace specified '${String(namespace)}'`);
  const text = namespace as string;
  return [text.slice(0, dot), text.slice(dot + 1)];
}

/** `listCollections`. */
export function listCollections(context: CommandContext): Document {
  const { command, database, store } = context;
  const matches = compileFilter(filterField(command, 'filter'));
  const described = store.catalog.collections(database).map((collection) => describe(collection));
  const found = described.filter((description) => matches(description));
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

/** `listDatabases`. */
export function listDatabases(context: CommandContext): Document {
  const { command, store } = context;
  const matches = compileFilter(filterField(command, 'filter'));
  const described = store.catalog
    .databases()
    .map((name) => ({ name, sizeOnDisk: store.sizeOfDatabase(name), empty: false }));
  const databases = described.filter((description) => matches(description));
  if (flagField(command, 'nameOnly')) return { databases: databases.map(({ name }) => ({ name })) };
  const totalSize = databases.reduce((sum, { sizeOnDisk }) => sum + sizeOnDisk, 0);
  return { databases, totalSize, totalSizeMb: Math.floor(totalSize / 1024 / 1024) };
}

/** `dbStats`. */
export function dbStats(context: CommandContext): Document {
  checkDatabaseName(context.database);
  const collections = context.store.catalog.collections(context.database);
  const objects = collections.reduce((sum, collection) => sum + collection.count, 0);
  const dataSize = context.store.sizeOfDatabase(context.database);
  return {
    db: context.database,
    collections: collections.length,
    views: 0,
    objects,
    avgObjSize: objects > 0 ? dataSize / objects : 0,
    dataSize,
    storageSize: dataSize,
    indexes: collections.reduce((sum, collection) => sum + collection.indexes.length, 0),
    indexSize: 0,
    totalSize: dataSize,
    scaleFactor: 1,
  };
}
