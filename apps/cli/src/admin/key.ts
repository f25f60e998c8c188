import { apiKeyCreate, NO_ACTOR, parseBounded } from '@chorus/contract';
import { type Options, UsageError } from '../command.ts';
import { defineAdminCommand } from './define-admin-command.ts';
import { listAll } from './list-all.ts';
import { addressOf } from './user.ts';
import { withAccounts } from './with-accounts.ts';

const HEADINGS = ['ID', 'PREFIX', 'NAME', 'STATUS', 'PERMISSIONS', 'WORKSPACE', 'EXPIRES', 'LAST USED'];

export const key = defineAdminCommand({
  usage: '<action> <email> …',
  summary: "Manages a user's API keys: add, list, revoke.",
  details: [
    'key add <email> <name>          creates a key and prints it once',
    '    --permission <name>         read, write, run, manage, or operator; repeatable. Default: read, write, run',
    '    --workspace <id>            limits the key to this workspace',
    '    --expires <time>            expiry time, such as 2027-01-31T00:00:00Z',
    '    --rate <n>                  requests per minute',
    "key list <email>                lists the user's keys",
    'key revoke <email> <id>         revokes the key everywhere within a second',
    '',
    'The platform must be running.',
  ].join('\n'),
  options: {
    permission: { type: 'string', multiple: true },
    workspace: { type: 'string' },
    expires: { type: 'string' },
    rate: { type: 'string' },
  },
  async run([action, given, third, ...more], surroundings, options) {
    if (given === undefined || more.length > 0)
      throw new UsageError('Specify an action and the email address of a user.');
    const email = addressOf(given);
    const { output } = surroundings;
    if (action === 'list' && third === undefined) {
      return withAccounts(surroundings, async ({ users, apiKeys }) => {
        const { id } = await users.findByEmail(email);
        const keys = await listAll((query) => apiKeys.list(id, query));
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
      throw new UsageError('Specify an action with its arguments.');
    if (action === 'revoke') {
      return withAccounts(surroundings, async ({ users, apiKeys }) => {
        const { id } = await users.findByEmail(email);
        const revoked = await apiKeys.revoke(NO_ACTOR, id, third);
        output.done(`${revoked.id} is revoked.`, revoked);
      });
    }
    const wanted = readLimits(third, options);
    return withAccounts(surroundings, async ({ users, apiKeys }) => {
      const made = await apiKeys.create(NO_ACTOR, await users.findByEmail(email), wanted);
      output.note(`${made.id}, shown only once:`);
      output.done(made.secret, made);
    });
  },
});

/** Arguments by the field that they set. */
const ARGUMENTS: Record<string, string> = {
  name: 'The name',
  permissions: '--permission',
  workspace_id: '--workspace',
  expires_at: '--expires',
  rate_limit: '--rate',
};

/** Validates with the same schema as the API. */
function readLimits(name: string, { permission, workspace, expires, rate }: Options) {
  const parsed = parseBounded(apiKeyCreate, {
    name,
    ...(permission === undefined ? {} : { permissions: permission }),
    workspace_id: workspace,
    expires_at: expires,
    rate_limit: rate === undefined ? undefined : Number(rate),
  });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new UsageError(`${ARGUMENTS[String(issue?.path[0])] ?? 'The key'} ${issue?.message}.`);
}
