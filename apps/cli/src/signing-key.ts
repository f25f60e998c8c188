import { UsageError } from './command.ts';
import { ownCommand } from './own-command.ts';
import { COMMAND, withAccounts } from './with-accounts.ts';

export const signingKey = ownCommand({
  usage: 'rotate|revoke',
  says: 'Replaces the keys that access tokens are signed with.',
  details: [
    'signing-key rotate    makes the next key. It signs three minutes later, when every process knows it; the old one verifies until its last token has',
    '                      ended, so no one is logged out. Keys rotate on their own every 30 days.',
    'signing-key revoke    for emergencies: a new key signs at once; every access token and queue-page session is refused within a second. Logins stay: programs',
    '                      get a new token with their refresh token.',
    '',
    'The platform must run.',
  ].join('\n'),
  async run(args, surroundings) {
    const [action] = args;
    if (args.length !== 1 || (action !== 'rotate' && action !== 'revoke'))
      throw new UsageError('The actions are rotate and revoke.');
    return withAccounts(surroundings, async (accounts) => {
      const change = action === 'rotate' ? accounts.rotateSigningKey : accounts.revokeSigningKeys;
      const id = await change(COMMAND);
      surroundings.output.done(id, { id });
    });
  },
});
