import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { type Config, ConfigError } from '@chorus/config';
import { UsageError } from './command.ts';
import { type OwnSurroundings, ownCommand } from './own-command.ts';
import { withStoppedStore } from './stopped-store.ts';
import { COMMAND, socketExists, withAccounts } from './with-accounts.ts';

const SQLITE_BUSY = 5;

export const secretKey = ownCommand({
  usage: 'rotate|reset',
  says: 'Changes the key that encrypts the secrets in the store.',
  details: [
    'secret-key rotate         puts a fresh key into the file secret-key and encrypts all secrets with it, while the platform runs. Older keys stay in the',
    '                          file, since older backups need them: copy the file again. With SECRET_KEY set: put the new key in front, "<new>,<old>", on every',
    '                          machine, restart all processes, and give this command; then remove the old one.',
    'secret-key reset --yes    for a lost key, while the platform is stopped: removes the secrets that can no longer be decrypted. docs/operation.md says what',
    '                          that is.',
    '',
    'A command that was broken off can be given again.',
  ].join('\n'),
  options: { yes: { type: 'boolean' } },
  async run(args, surroundings, { yes }) {
    const [action] = args;
    if (args.length === 1 && action === 'rotate') return rotate(surroundings);
    if (args.length !== 1 || action !== 'reset') throw new UsageError('The actions are rotate and reset.');
    if (yes !== true) throw new UsageError('This can not be undone: say --yes.');
    return reset(surroundings);
  },
});

function rotate(surroundings: OwnSurroundings): Promise<number> {
  const { running, output } = surroundings;
  let lock: DatabaseSync | undefined;
  const fresh = async (): Promise<Config | null> => {
    const config = running();
    if (config === null || !socketExists(config)) return null;
    const { keys, file } = config.secretKey;
    if (keys?.length === 1)
      throw new ConfigError([
        'SECRET_KEY has one key: put the new one in front of it ("<new>,<old>") on every machine, restart, and give this command again',
      ]);
    if (keys === null && existsSync(file)) {
      const { addSecretKey } = await import('@chorus/secrets');
      lock = lockFile(`${file}.lock`);
      addSecretKey(file);
    }
    return config;
  };
  // Opening the stores encrypts whatever is not encrypted with the first key.
  return withAccounts({ ...surroundings, running: fresh }, async (accounts, { database }) => {
    const id = database.secretBox.keyId;
    await accounts.noteSecretKey(COMMAND, id);
    output.done(`All secrets in the store are encrypted with the key ${id}.`, { id });
  }).finally(() => lock?.close());
}

/** Of two commands at once the second would lose the first one's key. The lock ends with its process. */
function lockFile(path: string): DatabaseSync {
  const lock = new DatabaseSync(path);
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    throw new UsageError('Another command rotates the secret key.');
  }
}

async function reset(surroundings: OwnSurroundings): Promise<number> {
  const { output } = surroundings;
  return withStoppedStore(surroundings, async (uri) => {
    const { resetSecrets } = await import('@chorus/database');
    const removed = await resetSecrets(uri);
    output.done(
      `${removed} records that could no longer be decrypted were removed. Now run npm start. Everyone has to log in again, two-factor login is off until users set it up again, and webhook receivers need their new secret.`,
      { removed },
    );
  });
}
