import { resolve } from 'node:path';
import { indexBeside } from './backup.ts';
import type { Command, Surroundings } from './command.ts';
import { runStore } from './store-command.ts';

export const restore: Command = {
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
    await restoreIndexBeside(resolve(surroundings.from, args[0] ?? ''), surroundings);
    process.stdout.write(
      'Now: npm start. What was under way when the backup was made is run again, or ends as lost.\n',
    );
    return 0;
  },
};

async function restoreIndexBeside(file: string, { indexFolder }: Surroundings): Promise<void> {
  if (indexFolder === null) return;
  const { restoreIndex } = await import('@chorus/search');
  const restored = await restoreIndex(indexBeside(file), indexFolder, new Date());
  if (restored?.aside) process.stdout.write(`The search index that was there is in ${restored.aside}\n`);
}
