import { UsageError } from './command.ts';
import { ownCommand } from './own-command.ts';
import { withAccounts } from './with-accounts.ts';

export const signingKey = ownCommand({
  usage: 'rotate',
  says: 'Makes the next key that access tokens are signed with.',
  details:
    'Keys follow each other every 30 days by themselves. A new one signs three minutes later, when every process knows it; the old one\ngoes on verifying until its last token has ended, so nobody is logged out. The platform must run.',
  async run(args, surroundings) {
    if (args.length !== 1 || args[0] !== 'rotate') throw new UsageError('The one action is rotate.');
    return withAccounts(surroundings, async (accounts) => {
      const id = await accounts.rotateSigningKey();
      surroundings.output.done(id, { id });
    });
  },
});
