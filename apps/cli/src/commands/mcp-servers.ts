import { shorten } from './agent-steps.ts';
import { promptAll } from './ask-terminal.ts';
import { defineActions } from './define-actions.ts';
import { type CommandContext, listOption } from './define-command.ts';
import { EXIT } from './exit-codes.ts';

export const mcpServers = defineActions({
  name: 'mcp-servers',
  summary: 'Manages MCP servers, whose tools agents use.',
  actions: {
    list: {
      does: 'lists them',
      async run({ chorus, output, interrupts: { signal } }) {
        const all = await Array.fromAsync(chorus.mcpServers.all({ limit: 100 }, { signal }));
        output.table(['ID', 'NAME', 'URL', 'HEADERS', 'ENABLED'], all, (one) => [
          one.id,
          one.name,
          one.url,
          one.header_names.join(', '),
          one.enabled ? 'yes' : 'no',
        ]);
        return EXIT.done;
      },
    },
    add: { args: '<name> <url>', does: 'registers one that speaks streamable HTTP', run: add },
    test: {
      args: '<id>',
      does: 'connects, and lists the tools with their effects',
      async run({ chorus, output, interrupts: { signal } }, id = '') {
        const { data } = await chorus.mcpServers.tools(id, { signal });
        output.table(['TOOL', 'EFFECT', 'ALLOWED', 'DESCRIPTION'], data, (tool) => [
          tool.name,
          tool.effect,
          tool.allowed ? 'yes' : 'no',
          shorten(tool.description),
        ]);
        return EXIT.done;
      },
    },
    delete: {
      args: '<id>',
      does: 'deletes one with its headers',
      async run({ chorus, output, interrupts: { signal } }, id = '') {
        output.done(`${id}  deleted`, await chorus.mcpServers.delete(id, { signal }));
        return EXIT.done;
      },
    },
  },
  options: { header: { type: 'string', multiple: true }, tool: { type: 'string', multiple: true } },
  details: [
    'add --header <name>  sends a header with each request, such as Authorization; repeatable. Values are read from the terminal, or from standard input, one per line',
    'add --tool <name>    allows only this tool; repeatable',
  ],
});

async function add({ chorus, options, output, interrupts }: CommandContext, name = '', url = ''): Promise<number> {
  const names = listOption(options, 'header') ?? [];
  const values = names.length === 0 ? [] : await promptAll(names.map((what) => ({ what, secret: true })));
  const headers = Object.fromEntries(names.map((header, at) => [header, values[at] ?? '']));
  const body = { name, url, headers, allowed_tools: listOption(options, 'tool') ?? null };
  const server = await chorus.mcpServers.create(body, { signal: interrupts.signal });
  output.done(`${server.id}  ${server.name}`, server);
  return EXIT.done;
}
