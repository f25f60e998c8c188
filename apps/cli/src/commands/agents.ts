import type { BodyOf } from '@chorus/client';
import { defineActions } from './define-actions.ts';
import { EXIT } from './exit-codes.ts';
import { readJson } from './read-json.ts';

export const agents = defineActions({
  name: 'agents',
  summary: 'Manages agents.',
  actions: {
    list: {
      does: 'lists them',
      async run({ chorus, output, interrupts: { signal } }) {
        const all = await Array.fromAsync(chorus.agents.all({ limit: 100 }, { signal }));
        output.table(['ID', 'NAME', 'MODEL', 'TOOLS', 'APPROVAL'], all, (one) => [
          one.id,
          one.name,
          one.model,
          one.tools.map(({ type }) => type).join(', '),
          Array.isArray(one.approval) ? one.approval.join(', ') : one.approval,
        ]);
        return EXIT.done;
      },
    },
    get: {
      args: '<id>',
      does: 'shows one as JSON',
      async run({ chorus, output, interrupts: { signal } }, id = '') {
        output.document(await chorus.agents.get(id, { signal }));
        return EXIT.done;
      },
    },
    add: {
      args: '<file>',
      does: 'creates one from a JSON file',
      async run({ chorus, output, from, interrupts: { signal } }, file = '') {
        const agent = await chorus.agents.create(await readJson<BodyOf<'POST /agents'>>(from, file), { signal });
        output.done(`${agent.id}  ${agent.name}`, agent);
        return EXIT.done;
      },
    },
    update: {
      args: '<id> <file>',
      does: 'changes the fields in the file',
      async run({ chorus, output, from, interrupts: { signal } }, id = '', file = '') {
        const body = await readJson<BodyOf<'PATCH /agents/{agent_id}'>>(from, file);
        output.done(`${id}  updated`, await chorus.agents.update(id, body, { signal }));
        return EXIT.done;
      },
    },
    delete: {
      args: '<id>',
      does: 'deletes one; sessions keep their messages',
      async run({ chorus, output, interrupts: { signal } }, id = '') {
        output.done(`${id}  deleted`, await chorus.agents.delete(id, { signal }));
        return EXIT.done;
      },
    },
  },
  details: ['Example file: {"name": "Clerk", "tools": [{"type": "web_fetch"}]}.'],
});
