import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { NO_ACTOR } from '@chorus/contract';
import { type Config, ConfigError } from '@chorus/runtime/config';
import { UsageError } from '../command.ts';
import { type AdminContext, defineAdminCommand } from './define-admin-command.ts';
import { withStoppedStore } from './stopped-store.ts';
import { socketExists, withAccounts } from './with-accounts.ts';

const SQLITE_BUSY = 5;

export const secretKey = defineAdminCommand({
  usage: 'rotate|reset',
  summary: 'Changes the key that encrypts secrets in the store.',
  details: [
    'secret-key rotate         adds a new key to the file secret-key and encrypts all secrets with it, while the platform runs. Older keys stay in the',
    '                          file for older backups: back up the file again. With SECRET_KEY set: put the new key first, "<new>,<old>", on every',
    '                          machine, restart all processes, and run this command; then remove the old key.',
    'secret-key reset --yes    for a lost key, while the platform is stopped: removes the secrets that can no longer be decrypted. See',
    '                          docs/backup-and-upgrade.md for what to set up again.',
    '',
    'An interrupted command can be repeated.',
  ].join('\n'),
  options: { yes: { type: 'boolean' } },
  async run(args, surroundings, { yes }) {
    const [action] = args;
    if (args.length === 1 && action === 'rotate') return rotate(surroundings);
    if (args.length !== 1 || action !== 'reset') throw new UsageError('Specify an action: rotate or reset.');
    if (yes !== true) throw new UsageError('This cannot be undone. Add --yes to confirm.');
    return reset(surroundings);
  },
});

function rotate(surroundings: AdminContext): Promise<number> {
  const { running, output } = surroundings;
  let lock: DatabaseSync | undefined;
  const fresh = async (): Promise<Config | null> => {
    const config = running();
    if (config === null || !socketExists(config)) return null;
    const { keys, file } = config.secretKey;
    if (keys?.length === 1)
      throw new ConfigError([
        'SECRET_KEY has one key: put the new one in front of it ("<new>,<old>") on every machine, restart, and run this command again',
      ]);
    if (keys === null && existsSync(file)) {
      const { addSecretKey } = await import('@chorus/secrets');
      lock = lockFile(`${file}.lock`);
      addSecretKey(file);
    }
    return config;
  };
  // Opening the stores encrypts everything with the first key.
  return withAccounts({ ...surroundings, running: fresh }, async (accounts, { database }) => {
    const id = database.secretBox.keyId;
    await accounts.noteSecretKey(NO_ACTOR, id);
    output.done(`All secrets in the store are now encrypted with the key ${id}.`, { id });
  }).finally(() => lock?.close());
}

/** Of two concurrent rotations the second would lose the first one's key. The lock ends with its process. */
function lockFile(path: string): DatabaseSync {
  const lock = new DatabaseSync(path);
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    throw new UsageError('Another command is rotating the secret key.');
  }
}

async function reset(surroundings: AdminContext): Promise<number> {
  const { output } = surroundings;
  return withStoppedStore(surroundings, async (uri) => {
    const { resetSecrets } = await import('@chorus/database');
    const removed = await resetSecrets(uri);
    output.done(
      `${removed} records that could no longer be decrypted were removed. Now run npm start. All users have to log in again, two-factor authentication is off until they set it up again, and webhook receivers need their new secret.`,
      { removed },
    );
  });
}
