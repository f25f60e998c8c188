import { resolve } from 'node:path';
import { indexBeside } from './backup.ts';
import { type OwnSurroundings, ownCommand } from './own-command.ts';
import { runStore } from './store-command.ts';

export const restore = ownCommand({
  usage: '<file>',
  says: 'Puts a backup in the place of the data; the platform must be stopped.',
  details: [
    'The backup is read through first, and nothing changes unless it is whole. What was there before stays beside it, in a file with',
    'the date in its name. The search index comes back from <file>.index. The files of that time belong into the folder blobs of DATA_DIR. What was under way when the backup was made is run again or ends as lost, soon after the next start.',
    'DATA_DIR says whose data, as for npm start.',
  ].join('\n'),
  async run(args, surroundings) {
    const mongodbTool = 'mongorestore --uri="$MONGODB_URI" --drop --archive=<file>';
    const code = await runStore({ option: '--restore', args, mongodbTool }, surroundings);
    if (code !== 0) return code;
    const file = resolve(surroundings.from, args[0] ?? '');
    const aside = await restoreIndexBeside(file, surroundings);
    surroundings.output.done(
      'Now: npm start. What was under way when the backup was made is run again, or ends as lost.',
      { file, index_aside: aside },
    );
    return 0;
  },
});

/** @returns where the index is that was there before; null: there was none */
async function restoreIndexBeside(file: string, { indexFolder, output }: OwnSurroundings): Promise<string | null> {
  if (indexFolder === null) return null;
  const { restoreIndex } = await import('@chorus/search');
  const aside = (await restoreIndex(indexBeside(file), indexFolder, new Date()))?.aside ?? null;
  if (aside !== null) output.line(`The search index that was there is in ${aside}`);
  return aside;
}
