import { emailAddress } from '@chorus/contract';
import { UsageError } from './command.ts';
import { everyPage } from './every-page.ts';
import { ownCommand } from './own-command.ts';
import { readPassword } from './read-password.ts';
import { COMMAND, withAccounts } from './with-accounts.ts';

export const user = ownCommand({
  usage: '<action> [<email>]',
  says: 'Users: add, list, passwd, disable, enable, reset-totp.',
  details: [
    'user add <email> [--operator]   makes a user; an operator sees queues and all users',
    'user list                       all users',
    'user passwd <email>             sets a new password, and ends all logins',
    '    --keep-logins               leaves the logins as they are',
    '    --revoke-keys               revokes all API keys of the user, too',
    'user disable <email>            refuses password, tokens and API keys from now on',
    'user enable <email>             lets the user in again',
    'user reset-totp <email>         turns two-factor authentication off, for a user who lost the app and the codes',
    '',
    'Passwords are asked for, or read from standard input. The platform must run.',
  ].join('\n'),
  options: {
    operator: { type: 'boolean' },
    'keep-logins': { type: 'boolean' },
    'revoke-keys': { type: 'boolean' },
  },
  async run([action, given, ...more], surroundings, options) {
    const { output } = surroundings;
    if (action === 'list' && given === undefined) {
      return withAccounts(surroundings, async ({ users }) => {
        output.table(['ID', 'E-MAIL', 'FLAG', 'STATUS', 'CREATED'], await everyPage(users.list), (one) => [
          one.id,
          one.email,
          one.operator ? 'operator' : null,
          one.disabled_at === null ? 'active' : 'disabled',
          one.created_at,
        ]);
      });
    }
    if (given === undefined || more.length > 0) throw new UsageError('Name an action, and one user by e-mail address.');
    const email = addressOf(given);
    switch (action) {
      case 'add': {
        const password = await readPassword();
        return withAccounts(surroundings, async ({ users }) => {
          const made = await users.create(COMMAND, { email, password, operator: options.operator === true });
          output.done(`${made.id} ${email}`, made);
        });
      }
      case 'passwd': {
        const password = await readPassword();
        return withAccounts(surroundings, async ({ users }) => {
          const { id } = await users.findByEmail(email);
          const [endLogins, revokeKeys] = [options['keep-logins'] !== true, options['revoke-keys'] === true];
          await users.setPassword(COMMAND, id, password, { endLogins, revokeKeys });
          const ended = [
            ...(endLogins ? ['all logins have ended'] : []),
            ...(revokeKeys ? ['all keys are revoked'] : []),
          ];
          output.done(`${[`${email} has a new password`, ...ended].join('; ')}.`, {
            id,
            email,
            ended_logins: endLogins,
            revoked_keys: revokeKeys,
          });
        });
      }
      case 'disable':
      case 'enable':
        return withAccounts(surroundings, async ({ users }) => {
          const { id } = await users.findByEmail(email);
          await users.setDisabled(COMMAND, id, action === 'disable');
          output.done(`${email} is ${action}d.`, { id, email, disabled: action === 'disable' });
        });
      case 'reset-totp':
        return withAccounts(surroundings, async ({ users, totp }) => {
          const { id } = await users.findByEmail(email);
          await totp.reset(COMMAND, id);
          output.done(`Two-factor authentication of ${email} is off.`, { id, email, totp_enabled: false });
        });
      default:
        throw new UsageError(`There is no action "${action}".`);
    }
  },
});

export function addressOf(given: string): string {
  const parsed = emailAddress.safeParse(given);
  if (!parsed.success) throw new UsageError(`"${given}" is no e-mail address.`);
  return parsed.data;
}
