import { ConfigError } from '@chorus/config';
import type { Logger } from '@chorus/log';
import { createSecretKeyFile, isSealed, readSecretBox, type SecretBox, type SecretKeySource } from '@chorus/secrets';
import type { mongo } from 'mongoose';
import { KEY_RECORD, sealAll, sealContext } from './sealed-fields.ts';
import { fromStore, isDuplicate } from './store-errors.ts';

/** Says which key a store's secrets are encrypted with. */
interface KeyRecord {
  _id: string;
  /** A word that this key has sealed. */
  value: string;
  /** Whether the first encryption of a store is through, the rewriting of its file included. */
  complete: boolean;
}

/** MongoDB's error code for a command that the server does not have. */
const COMMAND_NOT_FOUND = 59;

const WORD = 'chorus';
const CONTEXT = sealContext('secrets', KEY_RECORD, 'value');

/**
 * Finds the key that fits the store, and encrypts every secret that is not encrypted with it. Each start looks at all of them, since a process with older
 * settings may have written some meanwhile. The first start makes the key's file where no key was given.
 *
 * @throws {ConfigError} naming SECRET_KEY where the key is missing or another one
 */
export async function openSecretBox(store: mongo.Db, source: SecretKeySource, log: Logger): Promise<SecretBox> {
  const records = store.collection<KeyRecord>('secrets');
  let record = await fromStore(records.findOne({ _id: KEY_RECORD }));
  if (record === null) {
    if (readSecretBox(source) === null) createSecretKeyFile(source.file);
    const fresh = { _id: KEY_RECORD, value: read(source, null).seal(CONTEXT, WORD), complete: false };
    record = await fromStore(records.insertOne(fresh)).then(
      () => fresh,
      async (error) => {
        // Another process was quicker: its key counts.
        const theirs = isDuplicate(error) ? await fromStore(records.findOne({ _id: KEY_RECORD })) : null;
        if (theirs === null) throw error;
        return theirs;
      },
    );
  }
  const box = read(source, record);
  check(box, source, record);

  const { sealed, plain } = await sealAll(store, box);
  // A start that was killed may have encrypted everything and not rewritten the file.
  const overwritten = plain > 0 || !record.complete ? await overwritePlain(store, log) : true;
  const complete = record.complete || overwritten;
  if (!box.isCurrent(record.value) || complete !== record.complete) {
    const value = box.isCurrent(record.value) ? record.value : box.seal(CONTEXT, WORD);
    await fromStore(records.updateOne({ _id: KEY_RECORD, value: record.value }, { $set: { value, complete } }));
  }
  if (sealed > 0) log.info({ secrets: sealed, key: box.keyId }, 'encrypted the secrets in the store');
  return box;
}

/**
 * Has the built-in store rewrite its file, so that nothing plain is left in it or in later backups.
 *
 * @returns whether that is done; a MongoDB has no such command and counts as done
 */
async function overwritePlain(store: mongo.Db, log: Logger): Promise<boolean> {
  try {
    await store.client.db('admin').command({ compactFile: 1 });
    return true;
  } catch (err) {
    if ((err as { code?: unknown }).code === COMMAND_NOT_FOUND) return true;
    log.warn({ err }, 'the store file was not rewritten after its secrets were encrypted; the next start tries again');
    return false;
  }
}

function read(source: SecretKeySource, record: KeyRecord | null): SecretBox {
  const box = readSecretBox(source);
  if (box !== null) return box;
  const key = record === null ? '' : ` The secrets in the store are encrypted with the key ${idOf(record)}.`;
  throw new ConfigError([
    `SECRET_KEY is not set and ${source.file} is missing.${key} Bring that key back; docs/operation.md says how to go on without it`,
  ]);
}

function check(box: SecretBox, { keys, file }: SecretKeySource, record: KeyRecord): void {
  try {
    box.open(CONTEXT, record.value);
  } catch {
    const from = keys === null ? `the file ${file}` : 'SECRET_KEY';
    throw new ConfigError([
      `SECRET_KEY does not fit: the secrets in the store are encrypted with the key ${idOf(record)}, and ${from} has ${box.keyId}. ` +
        'Set the same SECRET_KEY on every machine; docs/operation.md says how to go on without it',
    ]);
  }
}

function idOf({ value }: KeyRecord): string {
  return isSealed(value) ? (value.split(':')[2] ?? '') : 'unknown';
}
