import { apiKeyCreate } from '@chorus/contract';
import { type Options, UsageError } from './command.ts';
import { everyPage } from './every-page.ts';
import { ownCommand } from './own-command.ts';
import { addressOf } from './user.ts';
import { COMMAND, withAccounts } from './with-accounts.ts';

const HEADINGS = ['ID', 'PREFIX', 'NAME', 'STATUS', 'PERMISSIONS', 'WORKSPACE', 'EXPIRES', 'LAST USED'];

export const key = ownCommand({
  usage: '<action> <email> …',
  says: "A user's API keys: add, list, revoke.",
  details: [
    'key add <email> <name>          makes a key and prints it, this once',
    '    --permission <name>         read, write, run, manage or operator; can be repeated. Default: read, write, run',
    '    --workspace <id>            works in this workspace only',
    '    --expires <time>            until then, such as 2027-01-31T00:00:00Z',
    '    --rate <n>                  requests a minute',
    "key list <email>                the user's keys",
    'key revoke <email> <id>         refuses the key for good, everywhere within a second',
    '',
    'The platform must run.',
  ].join('\n'),
  options: {
    permission: { type: 'string', multiple: true },
    workspace: { type: 'string' },
    expires: { type: 'string' },
    rate: { type: 'string' },
  },
  async run([action, given, third, ...more], surroundings, options) {
    if (given === undefined || more.length > 0) throw new UsageError('Name an action, and a user by e-mail address.');
    const email = addressOf(given);
    const { output } = surroundings;
    if (action === 'list' && third === undefined) {
      return withAccounts(surroundings, async ({ users, apiKeys }) => {
        const { id } = await users.findByEmail(email);
        const keys = await everyPage((query) => apiKeys.list(id, query));
        output.table(HEADINGS, keys, (one) => [
          one.id,
          one.prefix,
          one.name,
          one.status,
          one.permissions.join(','),
          one.workspace_id,
          one.expires_at,
          one.last_used_at,
        ]);
      });
    }
    if (third === undefined || (action !== 'add' && action !== 'revoke'))
      throw new UsageError('Name an action with its arguments.');
    if (action === 'revoke') {
      return withAccounts(surroundings, async ({ users, apiKeys }) => {
        const { id } = await users.findByEmail(email);
        const revoked = await apiKeys.revoke(COMMAND, id, third);
        output.done(`${revoked.id} is revoked.`, revoked);
      });
    }
    const wanted = readLimits(third, options);
    return withAccounts(surroundings, async ({ users, apiKeys }) => {
      const made = await apiKeys.create(COMMAND, await users.findByEmail(email), wanted);
      output.note(`${made.id}, shown this once:`);
      output.done(made.secret, made);
    });
  },
});

/** What the API would take, checked by the same schema. */
function readLimits(name: string, { permission, workspace, expires, rate }: Options) {
  const parsed = apiKeyCreate.safeParse({
    name,
    ...(permission === undefined ? {} : { permissions: permission }),
    workspace_id: workspace,
    expires_at: expires,
    rate_limit: rate === undefined ? undefined : Number(rate),
  });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new UsageError(`${issue?.path.join('.')}: ${issue?.message}`);
}
