import type { Document } from 'bson';
import { locationError } from '../errors.ts';

/** The words of a text, as a set. */
export const words = (text: string): Set<string> => new Set(text.split(/\s+/));

/** What every command may carry. */
export const GENERIC_FIELDS: ReadonlySet<string> = words(
  `$db $readPreference $clusterTime $queryOptions lsid txnNumber stmtId autocommit startTransaction comment maxTimeMS
   readConcern writeConcern apiVersion apiStrict apiDeprecationErrors rawData`,
);

/** What else the commands of MongoDB 7 take that refuse all they do not know; `create` has a table of its own. */
const FIELDS = new Map(
  Object.entries({
    aggregate: 'pipeline cursor explain allowDiskUse bypassDocumentValidation collation hint let',
    count: 'query limit skip hint collation fields',
    createIndexes: 'indexes commitQuorum ignoreUnknownIndexOptions',
    delete: 'deletes ordered let bypassDocumentValidation',
    distinct: 'key query collation hint',
    drop: '',
    dropDatabase: '',
    dropIndexes: 'index',
    explain: 'verbosity',
    find: `filter sort projection hint collation skip limit batchSize ntoreturn singleBatch allowDiskUse min max returnKey
      showRecordId tailable oplogReplay noCursorTimeout awaitData allowPartialResults let term readOnce`,
    findAndModify: `query sort update remove new fields upsert bypassDocumentValidation collation arrayFilters hint let`,
    getMore: 'collection batchSize term',
    insert: 'documents ordered bypassDocumentValidation',
    killCursors: 'cursors',
    listCollections: 'filter nameOnly authorizedCollections cursor',
    listDatabases: 'filter nameOnly authorizedDatabases',
    listIndexes: 'cursor',
    update: 'updates ordered let bypassDocumentValidation',
  }).map(([name, fields]) => [name, words(fields)]),
);

/** Throws 40415 for a field that the command, called by its proper name, does not have. */
export function checkFields(name: string, command: Document): void {
  const own = FIELDS.get(name);
  if (!own) return;
  for (const field in command) {
    if (own.has(field) || GENERIC_FIELDS.has(field) || (command[name] === command[field] && field === name)) continue;
    throw locationError(40415, `BSON field '${fieldPath(command, field)}' is an unknown field.`);
  }
}

/** A field as MongoDB's messages name it: with the command whose first field gives its name. */
export function fieldPath(holder: Document, field: string): string {
  const [first = ''] = Object.keys(holder);
  if (!FIELDS.has(first)) return field;
  return `${first === 'find' ? 'FindCommandRequest' : first}.${field}`;
}
