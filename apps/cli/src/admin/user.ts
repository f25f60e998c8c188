import { emailAddress, NO_ACTOR } from '@chorus/contract';
import { UsageError } from '../command.ts';
import { defineAdminCommand } from './define-admin-command.ts';
import { listAll } from './list-all.ts';
import { readPassword } from './read-password.ts';
import { withAccounts } from './with-accounts.ts';

export const user = defineAdminCommand({
  usage: '<action> [<email>]',
  summary: 'Manages users: add, list, passwd, disable, enable, reset-totp.',
  details: [
    'user add <email> [--operator]   adds a user; operators can see queues and all users',
    'user list                       lists all users',
    'user passwd <email>             sets a new password and ends all logins',
    '    --keep-logins               keeps the logins',
    '    --revoke-keys               also revokes all API keys of the user',
    'user disable <email>            refuses the password, tokens, and API keys of the user',
    'user enable <email>             allows the user to log in again',
    'user reset-totp <email>         turns off two-factor authentication for a user who lost the app and the codes',
    '',
    'Passwords are read from the terminal or from standard input. The platform must be running.',
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
        output.table(['ID', 'E-MAIL', 'FLAG', 'STATUS', 'CREATED'], await listAll(users.list), (one) => [
          one.id,
          one.email,
          one.operator ? 'operator' : null,
          one.disabled_at === null ? 'active' : 'disabled',
          one.created_at,
        ]);
      });
    }
    if (given === undefined || more.length > 0)
      throw new UsageError('Specify an action and the email address of one user.');
    const email = addressOf(given);
    switch (action) {
      case 'add': {
        const password = await readPassword();
        return withAccounts(surroundings, async ({ users }) => {
          const made = await users.create(NO_ACTOR, { email, password, operator: options.operator === true });
          output.done(`${made.id} ${email}`, made);
        });
      }
      case 'passwd': {
        const password = await readPassword();
        return withAccounts(surroundings, async ({ users }) => {
          const { id } = await users.findByEmail(email);
          const [endLogins, revokeKeys] = [options['keep-logins'] !== true, options['revoke-keys'] === true];
          await users.setPassword(NO_ACTOR, id, password, { endLogins, revokeKeys });
          const ended = [
            ...(endLogins ? ['all logins were ended'] : []),
            ...(revokeKeys ? ['all keys were revoked'] : []),
          ];
          output.done(`${[`The password of ${email} was changed`, ...ended].join('; ')}.`, {
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
          await users.setDisabled(NO_ACTOR, id, action === 'disable');
          output.done(`${email} is ${action}d.`, { id, email, disabled: action === 'disable' });
        });
      case 'reset-totp':
        return withAccounts(surroundings, async ({ users, totp }) => {
          const { id } = await users.findByEmail(email);
          await totp.reset(NO_ACTOR, id);
          output.done(`Two-factor authentication of ${email} is off.`, { id, email, totp_enabled: false });
        });
      default:
        throw new UsageError(`Unknown action "${action}".`);
    }
  },
});

export function addressOf(given: string): string {
  const parsed = emailAddress.safeParse(given);
  if (!parsed.success) throw new UsageError(`"${given}" is not an email address.`);
  return parsed.data;
}
