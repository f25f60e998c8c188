import { resolve } from 'node:path';
import { indexCopyOf } from './backup.ts';
import { type AdminContext, defineAdminCommand } from './define-admin-command.ts';
import { runStore } from './store-command.ts';

export const restore = defineAdminCommand({
  usage: '<file>',
  summary: 'Restores a backup while the platform is stopped.',
  details: [
    'The backup is verified first; nothing changes unless it is complete. The previous data is kept next to it, in a file with',
    'the date in its name. The search index is restored from <file>.index. Restore the files to the folder blobs of DATA_DIR. Work that was running during the backup runs again, or ends as lost soon after the next start.',
    'DATA_DIR selects the data, as for npm start.',
  ].join('\n'),
  async run(args, surroundings) {
    const mongodbTool = 'mongorestore --uri="$MONGODB_URI" --drop --archive=<file>';
    const code = await runStore({ option: '--restore', args, mongodbTool }, surroundings);
    if (code !== 0) return code;
    const file = resolve(surroundings.from, args[0] ?? '');
    const aside = await restoreIndexCopy(file, surroundings);
    surroundings.output.done('Next, run npm start. Work that ran during the backup runs again or ends as lost.', {
      file,
      index_aside: aside,
    });
    return 0;
  },
});

/** @returns the folder of the previous index; null if there was none */
async function restoreIndexCopy(file: string, { indexFolder, output }: AdminContext): Promise<string | null> {
  if (indexFolder === null) return null;
  const { restoreIndex } = await import('@chorus/search');
  const aside = (await restoreIndex(indexCopyOf(file), indexFolder, new Date()))?.aside ?? null;
  if (aside !== null) output.line(`The previous search index is in ${aside}`);
  return aside;
}
