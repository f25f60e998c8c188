import { parseArgs } from 'node:util';
import { closestTo } from './closest-to.ts';
import { type Command, UsageError } from './command.ts';
import { isSystemError } from './system-error.ts';

const USAGE_EXIT_CODE = 2;
const INTERRUPTED_EXIT_CODE = 130;

export interface Program<Context> {
  /** How users start it. */
  call: string;
  version: string;
  commands: Readonly<Record<string, Command<Context>>>;
  /** Explains where to find a command of another program. */
  redirect?: (name: string) => string | null;
}

/** Runs a program and returns the exit code: 0 success, 1 failure, 2 invalid arguments, 130 interrupted. */
export async function runProgram<Context>(
  program: Program<Context>,
  args: string[],
  context: () => Promise<Context> | Context,
): Promise<number> {
  const { call, version, commands } = program;
  const isHelp = args[0] === 'help' || args.includes('--help') || args.includes('-h');
  const [name, ...rest] = args[0] === 'help' ? args.slice(1) : args;
  if (name === '--version' || name === '-v') return print(version);
  if (name === undefined || name.startsWith('-')) {
    if (isHelp) return print(listCommands(program));
    const reason = name === undefined ? '' : `Unknown option ${name}.\n\n`;
    return refuse(`${reason}${listCommands(program)}`);
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    const closest = closestTo(name, Object.keys(commands));
    const elsewhere = program.redirect?.(name) ?? null;
    if (elsewhere !== null) return refuse(`${elsewhere}\n`);
    const advice = closest === null ? `Run ${call} help for a list.` : `Did you mean ${call} ${closest}?`;
    return refuse(`Unknown command "${name}". ${advice}\n`);
  }
  const usage = `Usage: ${call} ${name} ${command.usage}`.trimEnd();
  if (isHelp) return print(`${usage}\n\n${command.summary}\n\n${command.details}`);
  try {
    const { positionals, values } = parseArgs({ args: rest, allowPositionals: true, options: command.options ?? {} });
    return await command.run(positionals, await context(), values);
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'ABORT_ERR') return fail('', INTERRUPTED_EXIT_CODE);
    if (isSystemError(error)) return fail(`${error.message}\n`, 1);
    if (!(error instanceof UsageError || String(code).startsWith('ERR_PARSE_ARGS'))) throw error;
    return refuse(`${explain(error as Error, command)}\n\n${usage}\nRun ${call} help ${name} for its options.\n`);
  }
}

/** Node appends advice for rare cases to the message of an unknown option. */
function explain({ message }: Error, { options = {} }: Pick<Command<never>, 'options'>): string {
  const [reason = ''] = message.split('. To specify a positional');
  const [, wanted] = /^Unknown option '--([^']+)'/.exec(reason) ?? [];
  const closest = wanted === undefined ? null : closestTo(wanted, Object.keys(options));
  return closest === null ? reason : `${reason}. Did you mean --${closest}?`;
}

function listCommands({ call, commands }: Program<never>): string {
  const list = Object.entries(commands).map(([name, { usage, summary }]) => {
    const shown = `${name} ${usage}`;
    return shown.length > 42 ? `  ${shown}\n${' '.repeat(45)}${summary}` : `  ${shown.padEnd(42)} ${summary}`;
  });
  return `Usage: ${call} <command>\n\n${list.join('\n')}\n\nRun ${call} help <command> for details.\n`;
}

function print(text: string): number {
  process.stdout.write(`${text.trimEnd()}\n`);
  return 0;
}

function fail(message: string, code: number): number {
  process.stderr.write(message);
  return code;
}

const refuse = (message: string): number => fail(message, USAGE_EXIT_CODE);
