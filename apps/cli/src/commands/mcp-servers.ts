import { UsageError } from '../command.ts';
import { shorten } from './agent-steps.ts';
import { promptAll } from './ask-terminal.ts';
import { type CommandContext, defineCommand, listOption } from './define-command.ts';
import { EXIT } from './exit-codes.ts';

export const mcpServers = defineCommand({
  usage: '<action> …',
  summary: 'Manages MCP servers, whose tools agents use: list, add, test, delete.',
  actions: ['list', 'add', 'test', 'delete'],
  details: [
    'mcp-servers list              lists them',
    'mcp-servers add <name> <url>  registers one that speaks streamable HTTP',
    '    --header <name>           a header of each request, such as Authorization; repeatable. Values are read from the terminal, or from standard input, one per line',
    '    --tool <name>             only this tool; repeatable',
    'mcp-servers test <id>         connects, and lists the tools with their effects',
    'mcp-servers delete <id>       deletes one with its headers',
  ].join('\n'),
  options: { header: { type: 'string', multiple: true }, tool: { type: 'string', multiple: true } },
  async run(context) {
    const { chorus, args, output, interrupts } = context;
    const { signal } = interrupts;
    const [action, first, second, ...more] = args;
    if (more.length > 0 || (second !== undefined && action !== 'add')) throw new UsageError('Too many arguments.');
    if (action === 'list' && first === undefined) {
      const all = await Array.fromAsync(chorus.mcpServers.all({ limit: 100 }, { signal }));
      output.table(['ID', 'NAME', 'URL', 'HEADERS', 'ENABLED'], all, (one) => [
        one.id,
        one.name,
        one.url,
        one.header_names.join(', '),
        one.enabled ? 'yes' : 'no',
      ]);
      return EXIT.done;
    }
    if (action === 'add' && first !== undefined && second !== undefined) return add(context, first, second);
    if (action === 'test' && first !== undefined) {
      const { data } = await chorus.mcpServers.tools(first, { signal });
      output.table(['TOOL', 'EFFECT', 'ALLOWED', 'DESCRIPTION'], data, (tool) => [
        tool.name,
        tool.effect,
        tool.allowed ? 'yes' : 'no',
        shorten(tool.description),
      ]);
      return EXIT.done;
    }
    if (action === 'delete' && first !== undefined) {
      output.done(`${first}  deleted`, await chorus.mcpServers.delete(first, { signal }));
      return EXIT.done;
    }
    throw new UsageError('Specify list, add <name> <url>, test <id>, or delete <id>.');
  },
});

async function add(
  { chorus, options, output, interrupts }: CommandContext,
  name: string,
  url: string,
): Promise<number> {
  const names = listOption(options, 'header') ?? [];
  const values = names.length === 0 ? [] : await promptAll(names.map((what) => ({ what, secret: true })));
  const headers = Object.fromEntries(names.map((header, at) => [header, values[at] ?? '']));
  const body = { name, url, headers, allowed_tools: listOption(options, 'tool') ?? null };
  const server = await chorus.mcpServers.create(body, { signal: interrupts.signal });
  output.done(`${server.id}  ${server.name}`, server);
  return EXIT.done;
}
