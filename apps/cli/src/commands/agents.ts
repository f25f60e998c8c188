import type { BodyOf } from '@chorus/client';
import { UsageError } from '../command.ts';
import { defineCommand } from './define-command.ts';
import { EXIT } from './exit-codes.ts';
import { readJson } from './read-json.ts';

export const agents = defineCommand({
  usage: '<action> …',
  summary: 'Manages agents: list, get, add, update, delete.',
  actions: ['list', 'get', 'add', 'update', 'delete'],
  details: [
    'agents list                lists them',
    'agents get <id>            shows one as JSON',
    'agents add <file>          creates one from a JSON file: {"name": "Clerk", "tools": [{"type": "web_fetch"}]}',
    'agents update <id> <file>  changes the fields in the file',
    'agents delete <id>         deletes one; sessions keep their messages',
  ].join('\n'),
  async run({ chorus, args, output, from, interrupts: { signal } }) {
    const [action, first, second, ...more] = args;
    if (more.length > 0) throw new UsageError('Too many arguments.');
    if (action === 'list' && first === undefined) {
      const all = await Array.fromAsync(chorus.agents.all({ limit: 100 }, { signal }));
      output.table(['ID', 'NAME', 'MODEL', 'TOOLS', 'APPROVAL'], all, (one) => [
        one.id,
        one.name,
        one.model,
        one.tools.map(({ type }) => type).join(', '),
        Array.isArray(one.approval) ? one.approval.join(', ') : one.approval,
      ]);
      return EXIT.done;
    }
    if (first === undefined) throw new UsageError('Specify an action, and the id of an agent or a file.');
    if (action === 'update' && second !== undefined) {
      const body = await readJson<BodyOf<'PATCH /agents/{agent_id}'>>(from, second);
      output.done(`${first}  updated`, await chorus.agents.update(first, body, { signal }));
      return EXIT.done;
    }
    if (second !== undefined) throw new UsageError('Too many arguments.');
    switch (action) {
      case 'get':
        output.document(await chorus.agents.get(first, { signal }));
        return EXIT.done;
      case 'add': {
        const agent = await chorus.agents.create(await readJson<BodyOf<'POST /agents'>>(from, first), { signal });
        output.done(`${agent.id}  ${agent.name}`, agent);
        return EXIT.done;
      }
      case 'delete':
        output.done(`${first}  deleted`, await chorus.agents.delete(first, { signal }));
        return EXIT.done;
      default:
        throw new UsageError(`Unknown action "${action}".`);
    }
  },
});
