import manifest from '../../package.json' with { type: 'json' };
import type { Program } from '../run-program.ts';
import { backup } from './backup.ts';
import { erase } from './erase.ts';
import { key } from './key.ts';
import type { LocalContext } from './local-context.ts';
import { restore } from './restore.ts';
import { secretKey } from './secret-key.ts';
import { signingKey } from './signing-key.ts';
import { user } from './user.ts';
import { workspace } from './workspace.ts';

/** Commands for operators, on the platform's own machine. */
export const ADMIN: Program<LocalContext> = {
  call: 'npm run admin --',
  version: manifest.version,
  commands: { user, workspace, key, backup, restore, erase, 'secret-key': secretKey, 'signing-key': signingKey },
};
