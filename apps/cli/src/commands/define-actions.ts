import type { ParseArgsOptionsConfig } from 'node:util';
import { closestTo } from '../closest-to.ts';
import { type ClientContext, type Command, UsageError } from '../command.ts';
import { type CommandContext, defineCommand } from './define-command.ts';

export interface Action {
  /** Its arguments, such as `<id> [<file>]`. Optional ones come last; the last one may repeat (`…`). */
  args?: string;
  /** Describes it in the help. */
  does: string;
  run(context: CommandContext, ...args: string[]): Promise<number>;
}

interface ActionsDefinition {
  name: string;
  summary: string;
  actions: Readonly<Record<string, Action>>;
  options?: ParseArgsOptionsConfig;
  /** Help on the options. */
  details?: readonly string[];
}

const HELP_COLUMN = 32;

/** Builds a command whose first argument names an action. */
export function defineActions({ name, summary, actions, options, details }: ActionsDefinition): Command<ClientContext> {
  const names = Object.keys(actions);
  const lines = Object.entries(actions).map(([action, { args, does }]) =>
    `${[name, action, args].filter(Boolean).join(' ').padEnd(HELP_COLUMN)} ${does}`.trimEnd(),
  );
  const command = defineCommand({
    usage: `<${names.join('|')}>`,
    summary,
    details: [...lines, ...(details === undefined ? [] : ['', ...details])].join('\n'),
    ...(options && { options }),
    actions: names,
    run: (context) => {
      const [chosen, ...args] = context.args;
      return find(chosen).run(context, ...args);
    },
  });
  const find = (chosen = ''): Action => {
    const action = Object.hasOwn(actions, chosen) ? actions[chosen] : undefined;
    if (action === undefined) throw new UsageError(unknownAction(chosen, names));
    return action;
  };
  return {
    ...command,
    // Before it needs a login.
    run: async ([chosen, ...args], context, given) => {
      assertCount(`${name} ${chosen}`, find(chosen).args ?? '', args);
      return command.run([chosen ?? '', ...args], context, given);
    },
  };
}

function unknownAction(chosen: string, names: readonly string[]): string {
  if (chosen === '') return `Specify an action: ${names.join(', ')}.`;
  const closest = closestTo(chosen, names);
  return `Unknown action "${chosen}". ${closest === null ? `Use ${names.join(', ')}.` : `Did you mean ${closest}?`}`;
}

function assertCount(call: string, declared: string, args: readonly string[]): void {
  const wanted = declared === '' ? [] : declared.split(' ');
  const required = wanted.filter((one) => one.startsWith('<')).length;
  const isEndless = declared.includes('…');
  if (args.length >= required && (isEndless || args.length <= wanted.length)) return;
  throw new UsageError(declared === '' ? `${call} takes no arguments.` : `Use ${call} ${declared}.`);
}
