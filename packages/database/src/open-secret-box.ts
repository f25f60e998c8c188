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
  /** Whether all secrets are sealed with it. */
  complete: boolean;
}

const WORD = 'chorus';
const CONTEXT = sealContext('secrets', KEY_RECORD, 'value');

/**
 * Finds the key that fits the store, and encrypts what is not encrypted with it: at the first start, after an upgrade, after a new key. Whatever broke off is
 * finished at the next start. The first start makes the key's file where no key was given.
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
  if (box.isCurrent(record.value) && record.complete) return box;

  const { sealed, plain } = await sealAll(store, box);
  if (plain > 0) await overwritePlain(store, log);
  const change = { $set: { value: box.seal(CONTEXT, WORD), complete: true } };
  await fromStore(records.updateOne({ _id: KEY_RECORD, value: record.value }, change));
  if (sealed > 0) log.info({ secrets: sealed, key: box.keyId }, 'encrypted the secrets in the store');
  return box;
}

/** Has the built-in store rewrite its file: what was plain is in no corner of it then, and in no backup. A MongoDB does not know the command. */
async function overwritePlain(store: mongo.Db, log: Logger): Promise<void> {
  try {
    await store.client.db('admin').command({ compactFile: 1 });
  } catch (err) {
    log.info({ err }, 'the store was not rewritten after its secrets were encrypted');
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
