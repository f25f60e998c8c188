import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { BodyOf } from '@chorus/client';
import { UsageError } from '../command.ts';
import { shorten } from './agent-steps.ts';
import { promptAll } from './ask-terminal.ts';
import { type CommandContext, defineCommand, textOption } from './define-command.ts';
import { EXIT } from './exit-codes.ts';

type Auth = NonNullable<BodyOf<'POST /tool-apis'>['auth']>;

export const toolApis = defineCommand({
  usage: '<action> …',
  summary: 'Manages APIs, whose operations agents use: list, add, test, delete.',
  actions: ['list', 'add', 'test', 'delete'],
  details: [
    'tool-apis list                   lists them',
    'tool-apis add <name> <document>  registers one by its OpenAPI 3 document: a file or an address',
    '    --base-url <url>             instead of the first server of the document',
    '    --auth <type>                bearer, basic, header:<name>, or query:<name>. The secret is read from the terminal, or from standard input, one line each',
    'tool-apis test <id>              lists the operations with their effects',
    'tool-apis delete <id>            deletes one with its credentials',
  ].join('\n'),
  options: { 'base-url': { type: 'string' }, auth: { type: 'string' } },
  async run(context) {
    const { chorus, args, output, interrupts } = context;
    const { signal } = interrupts;
    const [action, first, second, ...more] = args;
    if (more.length > 0 || (second !== undefined && action !== 'add')) throw new UsageError('Too many arguments.');
    if (action === 'list' && first === undefined) {
      const all = await Array.fromAsync(chorus.toolApis.all({ limit: 100 }, { signal }));
      output.table(['ID', 'NAME', 'URL', 'AUTH', 'OPERATIONS', 'ENABLED'], all, (one) => [
        one.id,
        one.name,
        one.base_url,
        one.auth.type,
        String(one.operations.length),
        one.enabled ? 'yes' : 'no',
      ]);
      return EXIT.done;
    }
    if (action === 'add' && first !== undefined && second !== undefined) return add(context, first, second);
    if (action === 'test' && first !== undefined) {
      const api = await chorus.toolApis.get(first, { signal });
      for (const warning of api.warnings) output.note(`Note: ${warning}`);
      output.table(['TOOL', 'EFFECT', 'REQUEST', 'DESCRIPTION'], api.operations, (operation) => [
        operation.name,
        operation.effect,
        `${operation.method} ${operation.path}`,
        shorten(operation.description),
      ]);
      return EXIT.done;
    }
    if (action === 'delete' && first !== undefined) {
      output.done(`${first}  deleted`, await chorus.toolApis.delete(first, { signal }));
      return EXIT.done;
    }
    throw new UsageError('Specify list, add <name> <document>, test <id>, or delete <id>.');
  },
});

async function add(context: CommandContext, name: string, where: string): Promise<number> {
  const { chorus, options, output, from, interrupts } = context;
  const source = /^https?:\/\//.test(where)
    ? { document_url: where }
    : { document: await readFile(resolve(from, where), 'utf8') };
  const auth = await askAuth(textOption(options, 'auth'));
  const body = { name, ...source, base_url: textOption(options, 'base-url'), auth };
  const api = await chorus.toolApis.create(body, { signal: interrupts.signal });
  for (const warning of api.warnings) output.note(`Note: ${warning}`);
  output.done(`${api.id}  ${api.name}, ${api.operations.length} operations`, api);
  return EXIT.done;
}

async function askAuth(asked: string | undefined): Promise<Auth | undefined> {
  if (asked === undefined) return undefined;
  const [, type, name] = /^(bearer|basic|(?:header|query)(?=:.))(?::(.+))?$/.exec(asked) ?? [];
  const secret = async (...prompts: [what: string, secret: boolean][]) =>
    promptAll(prompts.map(([what, secret]) => ({ what, secret })));
  if (type === 'bearer' && name === undefined) {
    const [token = ''] = await secret(['Token', true]);
    return { type, token };
  }
  if (type === 'basic' && name === undefined) {
    const [username = '', password = ''] = await secret(['User name', false], ['Password', true]);
    return { type, username, password };
  }
  if ((type === 'header' || type === 'query') && name !== undefined) {
    const [value = ''] = await secret([`Value of ${name}`, true]);
    return { type, name, value };
  }
  throw new UsageError('--auth must be bearer, basic, header:<name>, or query:<name>.');
}
