import { join } from 'node:path';
import type { Command } from './command.ts';
import { runStore } from './store-command.ts';

export const backup: Command = {
  usage: '<file>',
  says: 'Copies users, sessions, messages and executions to a new file, also while the platform runs.',
  details: [
    'The copy holds everything that was answered before the command began. It is read through, each checksum and each index',
    'entry, before it gets its name. Not in it: what Redis holds, which is the queue and the events of the last hour; and the files, which',
    'lie in the folder blobs of DATA_DIR or in your bucket: copy them after this, so that each that is named is there.',
    'DATA_DIR says whose data, as for npm start.',
  ].join('\n'),
  async run(args, surroundings) {
    const mongodbTool = 'mongodump --uri="$MONGODB_URI" --archive=<file>';
    const code = await runStore({ option: '--backup', args, mongodbTool }, surroundings);
    if (code === 0) {
      process.stdout.write(
        'In it: users, sessions, messages, executions. Not in it: what Redis holds, the queue and recent events; and the files:\n' +
          `copy ${join(surroundings.dataDir, 'blobs')}, or your bucket, now.\n`,
      );
    }
    return code;
  },
};
