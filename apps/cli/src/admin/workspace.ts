import { isUuid, NO_ACTOR, ROLES, type Role } from '@chorus/contract';
import { UsageError } from '../command.ts';
import { type AdminContext, defineAdminCommand } from './define-admin-command.ts';
import { listAll } from './list-all.ts';
import { addressOf } from './user.ts';
import { withAccounts } from './with-accounts.ts';

export const workspace = defineAdminCommand({
  usage: '<action> …',
  summary: 'Manages workspaces: add, list, member.',
  details: [
    'workspace add <name> --owner <email>        creates a workspace',
    'workspace list                              lists all workspaces',
    'workspace member <id>                       lists its members',
    'workspace member <id> <email> <role>        adds a member or changes the role: viewer, editor, admin, owner',
    'workspace member <id> <email> none          removes a member; one owner always remains',
    '',
    'The platform must be running.',
  ].join('\n'),
  options: { owner: { type: 'string' } },
  async run([action, first, second, third, ...more], surroundings, { owner }) {
    if (more.length > 0) throw new UsageError('Too many arguments.');
    const { output } = surroundings;
    if (action === 'list' && first === undefined) {
      return withAccounts(surroundings, async ({ workspaces }) => {
        const all = (await listAll(workspaces.listAll)).map(({ id, name, created_at }) => ({
          id,
          name,
          created_at: created_at.toISOString(),
        }));
        output.table(['ID', 'NAME', 'CREATED'], all, ({ id, name, created_at }) => [id, name, created_at]);
      });
    }
    if (first === undefined) throw new UsageError('Specify an action and a workspace.');
    if (action === 'add' && second === undefined) {
      if (typeof owner !== 'string') throw new UsageError('Specify the owner: --owner <email>.');
      return withAccounts(surroundings, async ({ users, workspaces }) => {
        const { id } = await users.findByEmail(addressOf(owner));
        const made = await workspaces.create(NO_ACTOR, id, first);
        output.done(`${made.id} ${first}`, made);
      });
    }
    if (action !== 'member') throw new UsageError(`Unknown action "${action}".`);
    if (!isUuid(first)) throw new UsageError('Specify the id of a workspace: workspace list shows them.');
    return member(surroundings, first.toLowerCase(), second, third);
  },
});

async function member(
  surroundings: AdminContext,
  id: string,
  email: string | undefined,
  given: string | undefined,
): Promise<number> {
  if (email === undefined) {
    return withAccounts(surroundings, async ({ workspaces }) => {
      await workspaces.get(id, 'owner');
      const members = await listAll((query) => workspaces.listMembers(id, query));
      surroundings.output.table(['ID', 'E-MAIL', 'ROLE', 'SINCE'], members, (one) => [
        one.id,
        one.email,
        one.role,
        one.created_at,
      ]);
    });
  }
  const role = given === 'none' ? null : ROLES.find((one) => one === given);
  if (role === undefined) throw new UsageError(`Specify a role: ${ROLES.join(', ')}, or none.`);
  return withAccounts(surroundings, async ({ users, workspaces, roleIn }) => {
    const user = await users.findByEmail(addressOf(email));
    const before: Role | null = await roleIn(id, user.id);
    if (role === null) await workspaces.removeMember(NO_ACTOR, id, 'owner', user.id);
    else if (before === null) await workspaces.addMember(NO_ACTOR, id, user.id, role);
    else await workspaces.changeRole(NO_ACTOR, id, 'owner', user.id, role);
    const said = `${user.email} is ${role === null ? 'no member any more' : role}.`;
    surroundings.output.done(said, { id: user.id, email: user.email, role });
  });
}
