import { join, resolve } from 'node:path';
import { type OwnSurroundings, ownCommand } from './own-command.ts';
import { runStore } from './store-command.ts';

/** The copy of the search index is a folder beside a backup's file. */
export const indexBeside = (file: string): string => `${file}.index`;

export const backup = ownCommand({
  usage: '<file>',
  says: 'Copies users, sessions, messages, executions, documents and their index, also while the platform runs.',
  details: [
    'The copy holds everything that was answered before the command began. It is read through, each checksum and each index',
    'entry, before it gets its name. The search index goes into a folder beside it, <file>.index. Not in it: what Redis holds, which is the queue and the',
    'events of the last hour; and the files, which lie in the folder blobs of DATA_DIR or in your bucket: copy them after this, so that each that is named is there.',
    'DATA_DIR says whose data, as for npm start.',
  ].join('\n'),
  async run(args, surroundings) {
    const mongodbTool = 'mongodump --uri="$MONGODB_URI" --archive=<file>';
    const code = await runStore({ option: '--backup', args, mongodbTool }, surroundings);
    if (code !== 0) return code;
    const file = resolve(surroundings.from, args[0] ?? '');
    surroundings.output.line(
      'In it: users, sessions, messages, executions. Not in it: what Redis holds, the queue and recent events; and the files:\n' +
        `copy ${join(surroundings.dataDir, 'blobs')}, or your bucket, now.`,
    );
    surroundings.output.record({ file, index: await backUpIndex(file, surroundings) });
    return 0;
  },
});

/**
 * After the store: what it names is in the index then, but for what has been deleted in between.
 *
 * @returns where the copy is, and what is in it; null: there is none
 */
async function backUpIndex(file: string, { indexFolder, output }: OwnSurroundings) {
  if (indexFolder === null) {
    output.note('The search index is in a bucket (KNOWLEDGE_INDEX_URL): copy that by the means of your S3.');
    return null;
  }
  const { copyIndex } = await import('@chorus/search');
  const folder = indexBeside(file);
  const copied = await copyIndex(indexFolder, folder);
  if (copied === null) return null;
  output.line(`The search index, ${copied.rows} rows of ${copied.tables} tables, is in ${folder}`);
  return { folder, rows: copied.rows, tables: copied.tables };
}
