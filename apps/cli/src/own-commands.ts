import { backup } from './backup.ts';
import type { Command, Surroundings } from './command.ts';
import { erase } from './erase.ts';
import { key } from './key.ts';
import { restore } from './restore.ts';
import { secretKey } from './secret-key.ts';
import { signingKey } from './signing-key.ts';
import { user } from './user.ts';
import { workspace } from './workspace.ts';

/** Commands for whoever runs the platform, on its own machine. */
export const OWN_COMMANDS: Record<string, Command<Surroundings>> = {
  backup,
  restore,
  user,
  workspace,
  key,
  'signing-key': signingKey,
  'secret-key': secretKey,
  erase,
};
