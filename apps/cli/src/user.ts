import { emailAddress } from '@chorus/contract';
import { type Command, UsageError } from './command.ts';
import { everyPage } from './every-page.ts';
import { printTable } from './print-table.ts';
import { readPassword } from './read-password.ts';
import { COMMAND, withAccounts } from './with-accounts.ts';

export const user: Command = {
  usage: '<action> [<email>]',
  says: 'Users: add, list, passwd, disable, enable.',
  details: [
    'user add <email> [--operator]   makes a user; an operator sees queues and all users',
    'user list                       all users',
    'user passwd <email>             sets a new password, and ends all logins',
    'user disable <email>            refuses password, tokens and API keys from now on',
    'user enable <email>             lets the user in again',
    '',
    'Passwords are asked for, or read from standard input. The platform must run.',
  ].join('\n'),
  options: { operator: { type: 'boolean' } },
  async run([action, given, ...more], surroundings, { operator }) {
    if (action === 'list' && given === undefined) {
      return withAccounts(surroundings, async ({ users }) => {
        const rows = (await everyPage(users.list)).map((one) => [
          one.id,
          one.email,
          one.operator ? 'operator' : null,
          one.disabled_at === null ? 'active' : 'disabled',
          one.created_at,
        ]);
        printTable(['ID', 'E-MAIL', 'FLAG', 'STATUS', 'CREATED'], rows);
      });
    }
    if (given === undefined || more.length > 0) throw new UsageError('Name an action, and one user by e-mail address.');
    const email = addressOf(given);
    switch (action) {
      case 'add': {
        const password = await readPassword();
        return withAccounts(surroundings, async ({ users }) => {
          const { id } = await users.create(COMMAND, { email, password, operator: operator === true });
          process.stdout.write(`${id} ${email}\n`);
        });
      }
      case 'passwd': {
        const password = await readPassword();
        return withAccounts(surroundings, async ({ users }) => {
          await users.setPassword(COMMAND, (await users.findByEmail(email)).id, password);
          process.stdout.write(`${email} has a new password; all logins have ended.\n`);
        });
      }
      case 'disable':
      case 'enable':
        return withAccounts(surroundings, async ({ users }) => {
          await users.setDisabled(COMMAND, (await users.findByEmail(email)).id, action === 'disable');
          process.stdout.write(`${email} is ${action}d.\n`);
        });
      default:
        throw new UsageError(`There is no action "${action}".`);
    }
  },
};

export function addressOf(given: string): string {
  const parsed = emailAddress.safeParse(given);
  if (!parsed.success) throw new UsageError(`"${given}" is no e-mail address.`);
  return parsed.data;
}
