import { isUuid, ROLES, type Role } from '@chorus/contract';
import { UsageError } from './command.ts';
import { everyPage } from './every-page.ts';
import { type OwnSurroundings, ownCommand } from './own-command.ts';
import { addressOf } from './user.ts';
import { COMMAND, withAccounts } from './with-accounts.ts';

export const workspace = ownCommand({
  usage: '<action> …',
  says: 'Workspaces: add, list, member.',
  details: [
    'workspace add <name> --owner <email>        makes a workspace',
    'workspace list                              all workspaces',
    'workspace member <id>                       its members',
    'workspace member <id> <email> <role>        makes the user a member, or changes the role: viewer, editor, admin, owner',
    'workspace member <id> <email> none          ends the membership; an owner always stays',
    '',
    'The platform must run.',
  ].join('\n'),
  options: { owner: { type: 'string' } },
  async run([action, first, second, third, ...more], surroundings, { owner }) {
    if (more.length > 0) throw new UsageError('These are too many arguments.');
    const { output } = surroundings;
    if (action === 'list' && first === undefined) {
      return withAccounts(surroundings, async ({ workspaces }) => {
        const all = (await everyPage(workspaces.listAll)).map(({ id, name, created_at }) => ({
          id,
          name,
          created_at: created_at.toISOString(),
        }));
        output.table(['ID', 'NAME', 'CREATED'], all, ({ id, name, created_at }) => [id, name, created_at]);
      });
    }
    if (first === undefined) throw new UsageError('Name an action, and a workspace.');
    if (action === 'add' && second === undefined) {
      if (typeof owner !== 'string') throw new UsageError('Name the owner: --owner <email>.');
      return withAccounts(surroundings, async ({ users, workspaces }) => {
        const { id } = await users.findByEmail(addressOf(owner));
        const made = await workspaces.create(COMMAND, id, first);
        output.done(`${made.id} ${first}`, made);
      });
    }
    if (action !== 'member') throw new UsageError(`There is no such action "${action}".`);
    if (!isUuid(first)) throw new UsageError('A workspace is named by its id: workspace list shows them.');
    return member(surroundings, first.toLowerCase(), second, third);
  },
});

async function member(
  surroundings: OwnSurroundings,
  id: string,
  email: string | undefined,
  given: string | undefined,
): Promise<number> {
  if (email === undefined) {
    return withAccounts(surroundings, async ({ workspaces }) => {
      await workspaces.get(id, 'owner');
      const members = await everyPage((query) => workspaces.listMembers(id, query));
      surroundings.output.table(['ID', 'E-MAIL', 'ROLE', 'SINCE'], members, (one) => [
        one.id,
        one.email,
        one.role,
        one.created_at,
      ]);
    });
  }
  const role = given === 'none' ? null : ROLES.find((one) => one === given);
  if (role === undefined) throw new UsageError(`Name a role: ${ROLES.join(', ')}, or none.`);
  return withAccounts(surroundings, async ({ users, workspaces, roleIn }) => {
    const user = await users.findByEmail(addressOf(email));
    const before: Role | null = await roleIn(id, user.id);
    if (role === null) await workspaces.removeMember(COMMAND, id, 'owner', user.id);
    else if (before === null) await workspaces.addMember(COMMAND, id, user.id, role);
    else await workspaces.changeRole(COMMAND, id, 'owner', user.id, role);
    const said = `${user.email} is ${role === null ? 'no member any more' : role}.`;
    surroundings.output.done(said, { id: user.id, email: user.email, role });
  });
}
