import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { BodyOf } from '@chorus/client';
import { UsageError } from '../command.ts';
import { shorten } from './agent-steps.ts';
import { promptAll } from './ask-terminal.ts';
import { defineActions } from './define-actions.ts';
import { type CommandContext, textOption } from './define-command.ts';
import { EXIT } from './exit-codes.ts';

type Auth = NonNullable<BodyOf<'POST /tool-apis'>['auth']>;

export const toolApis = defineActions({
  name: 'tool-apis',
  summary: 'Manages APIs, whose operations agents use.',
  actions: {
    list: {
      does: 'lists them',
      async run({ chorus, output, interrupts: { signal } }) {
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
      },
    },
    add: {
      args: '<name> <document>',
      does: 'registers one from its OpenAPI 3 document: a file or an address',
      run: add,
    },
    test: {
      args: '<id>',
      does: 'lists the operations with their effects',
      async run({ chorus, output, interrupts: { signal } }, id = '') {
        const api = await chorus.toolApis.get(id, { signal });
        for (const warning of api.warnings) output.note(`Note: ${warning}`);
        output.table(['TOOL', 'EFFECT', 'REQUEST', 'DESCRIPTION'], api.operations, (operation) => [
          operation.name,
          operation.effect,
          `${operation.method} ${operation.path}`,
          shorten(operation.description),
        ]);
        return EXIT.done;
      },
    },
    delete: {
      args: '<id>',
      does: 'deletes one with its credentials',
      async run({ chorus, output, interrupts: { signal } }, id = '') {
        output.done(`${id}  deleted`, await chorus.toolApis.delete(id, { signal }));
        return EXIT.done;
      },
    },
  },
  options: { 'base-url': { type: 'string' }, auth: { type: 'string' } },
  details: [
    'add --base-url <url>  replaces the first server in the document',
    'add --auth <type>     bearer, basic, header:<name>, or query:<name>. The secret is read from the terminal, or from standard input, one line each',
  ],
});

async function add(context: CommandContext, name = '', where = ''): Promise<number> {
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
