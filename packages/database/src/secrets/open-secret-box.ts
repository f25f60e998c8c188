import { ConfigError } from '@chorus/runtime/config';
import type { Logger } from '@chorus/runtime/log';
import { createSecretKeyFile, isSealed, readSecretBox, type SecretBox, type SecretKeySource } from '@chorus/secrets';
import type { Db } from 'mongodb';
import { compactFile, connect } from '../connect.ts';
import { fromStore, insertOrGet } from '../store-errors.ts';
import { hasSecrets, KEY_RECORD, removeSealed, sealAll, sealContext } from './sealed-fields.ts';

/** Identifies the key of a store's secrets. */
interface KeyRecord {
  _id: string;
  /** A known word sealed with the key. */
  value: string;
  /** Whether the first encryption is complete, including the rewrite of the store file. */
  complete: boolean;
}

const WORD = 'chorus';
const CONTEXT = sealContext('secrets', KEY_RECORD, 'value');

/**
 * Opens the store's secrets, and encrypts those that are not encrypted with the current key. Every start checks all
 * of them, because a process with older settings may still write some. The first start creates a missing key file.
 *
 * @throws {ConfigError} naming SECRET_KEY when the key is missing or wrong
 */
export async function openSecretBox(db: Db, source: SecretKeySource, log: Logger): Promise<SecretBox> {
  const records = db.collection<KeyRecord>('secrets');
  let record = await fromStore(records.findOne({ _id: KEY_RECORD }));
  if (record === null) {
    if (readSecretBox(source) === null) createSecretKeyFile(source.file);
    const value = read(source, null).seal(CONTEXT, WORD);
    // A new store has nothing to overwrite, and the rewrite would block all others.
    const complete = !(await hasSecrets(db));
    record = await insertOrGet(records, { _id: KEY_RECORD, value, complete });
  }
  const box = read(source, record);
  check(box, source, record);

  const { sealed, plain } = await sealAll(db, box);
  // A killed start may have encrypted everything without rewriting the file.
  const overwritten = plain > 0 || !record.complete ? await overwritePlain(db, log) : true;
  const complete = record.complete || overwritten;
  if (!box.isCurrent(record.value) || complete !== record.complete) {
    const value = box.isCurrent(record.value) ? record.value : box.seal(CONTEXT, WORD);
    await fromStore(records.updateOne({ _id: KEY_RECORD, value: record.value }, { $set: { value, complete } }));
  }
  if (sealed > 0) log.info({ secrets: sealed, key: box.keyId }, 'encrypted the secrets in the store');
  return box;
}

/** Removes plain values from the store file. Returns false on failure; MongoDB has nothing to do. */
async function overwritePlain(db: Db, log: Logger): Promise<boolean> {
  try {
    await compactFile(db.client);
    return true;
  } catch (err) {
    log.warn({ err }, 'the store file was not rewritten after its secrets were encrypted; the next start tries again');
    return false;
  }
}

function read(source: SecretKeySource, record: KeyRecord | null): SecretBox {
  const box = readSecretBox(source);
  if (box !== null) return box;
  const key = record === null ? '' : ` The secrets in the store are encrypted with the key ${idOf(record)}.`;
  throw new ConfigError([
    `SECRET_KEY is not set and ${source.file} is missing.${key} Restore that key; docs/backup-and-upgrade.md describes how to continue without it`,
  ]);
}

function check(box: SecretBox, { keys, file }: SecretKeySource, record: KeyRecord): void {
  try {
    box.open(CONTEXT, record.value);
  } catch {
    const from = keys === null ? `the file ${file}` : 'SECRET_KEY';
    throw new ConfigError([
      `SECRET_KEY does not fit: the secrets in the store are encrypted with the key ${idOf(record)}, and ${from} has ${box.keyId}. ` +
        'Set the same SECRET_KEY on every machine; docs/backup-and-upgrade.md describes how to continue without it',
    ]);
  }
}

function idOf({ value }: KeyRecord): string {
  return isSealed(value) ? (value.split(':')[2] ?? '') : 'unknown';
}

/** Deletes all secrets of a store whose key is lost. The next start creates new ones. Returns how many. */
export async function resetSecrets(uri: string): Promise<number> {
  const connection = await connect(uri);
  try {
    return await removeSealed(connection.getClient().db());
  } finally {
    await connection.close();
  }
}
