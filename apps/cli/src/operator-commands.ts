import { backup } from './backup.ts';
import type { Command, CommandContext } from './command.ts';
import { erase } from './erase.ts';
import { key } from './key.ts';
import { restore } from './restore.ts';
import { secretKey } from './secret-key.ts';
import { signingKey } from './signing-key.ts';
import { user } from './user.ts';
import { workspace } from './workspace.ts';

/** Commands for operators, on the platform's own machine. */
export const OPERATOR_COMMANDS: Record<string, Command<CommandContext>> = {
  backup,
  restore,
  user,
  workspace,
  key,
  'signing-key': signingKey,
  'secret-key': secretKey,
  erase,
};
