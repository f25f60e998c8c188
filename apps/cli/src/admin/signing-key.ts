import { NO_ACTOR } from '@chorus/contract';
import { UsageError } from '../command.ts';
import { defineAdminCommand } from './define-admin-command.ts';
import { withAccounts } from './with-accounts.ts';

export const signingKey = defineAdminCommand({
  usage: 'rotate|revoke',
  summary: 'Replaces the keys that sign access tokens.',
  details: [
    'signing-key rotate    creates the next key. It signs after three minutes, when every process knows it; the old one verifies until its last token',
    '                      expires, so no one is logged out. Keys rotate automatically every 30 days.',
    'signing-key revoke    for emergencies: a new key signs at once; every access token is refused within a second. Logins stay valid:',
    '                      programs get new tokens with their refresh tokens.',
    '',
    'The platform must be running.',
  ].join('\n'),
  async run(args, surroundings) {
    const [action] = args;
    if (args.length !== 1 || (action !== 'rotate' && action !== 'revoke'))
      throw new UsageError('Specify an action: rotate or revoke.');
    return withAccounts(surroundings, async (accounts) => {
      const change = action === 'rotate' ? accounts.rotateSigningKey : accounts.revokeSigningKeys;
      const id = await change(NO_ACTOR);
      surroundings.output.done(id, { id });
    });
  },
});
