import { join, resolve } from 'node:path';
import { type AdminContext, defineAdminCommand } from './define-admin-command.ts';
import { runStore } from './store-command.ts';

/** The copy of the search index is a folder next to the backup file. */
export const indexCopyOf = (file: string): string => `${file}.index`;

export const backup = defineAdminCommand({
  usage: '<file>',
  summary: 'Backs up users, sessions, messages, executions, documents, and the search index while the platform runs.',
  details: [
    'The backup contains everything that was stored before the command started. Its checksums and index entries are verified',
    'before the file gets its name. The search index is copied to a folder next to it, <file>.index. Not included: Redis (the queue and events of',
    'the last hour) and files (the folder blobs in DATA_DIR, or your bucket). Copy the files after this command, so that none are missing.',
    'DATA_DIR selects the data, as for npm start.',
  ].join('\n'),
  async run(args, surroundings) {
    const mongodbTool = 'mongodump --uri="$MONGODB_URI" --archive=<file>';
    const code = await runStore({ option: '--backup', args, mongodbTool }, surroundings);
    if (code !== 0) return code;
    const file = resolve(surroundings.from, args[0] ?? '');
    surroundings.output.line(
      'Included: users, sessions, messages, executions. Not included: Redis (the queue and recent events), and files:\n' +
        `copy ${join(surroundings.dataDir, 'blobs')}, or your bucket, now.`,
    );
    surroundings.output.record({ file, index: await backUpIndex(file, surroundings) });
    return 0;
  },
});

/**
 * Runs after the store's backup, so that the index has every document in it.
 *
 * @returns the folder and size of the copy; null if there is no index
 */
async function backUpIndex(file: string, { indexFolder, output }: AdminContext) {
  if (indexFolder === null) {
    output.note('The search index is in a bucket (KNOWLEDGE_INDEX_URL): copy it with your S3 tools.');
    return null;
  }
  const { copyIndex } = await import('@chorus/search');
  const folder = indexCopyOf(file);
  const copied = await copyIndex(indexFolder, folder);
  if (copied === null) return null;
  output.line(`The search index (${copied.rows} rows in ${copied.tables} tables) was copied to ${folder}`);
  return { folder, rows: copied.rows, tables: copied.tables };
}
