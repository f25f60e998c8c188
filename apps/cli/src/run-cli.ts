import { parseArgs } from 'node:util';
import { type ClientContext, type Command, type LocalPlatform, type Options, UsageError } from './command.ts';
import { REMOTE_COMMANDS } from './remote/index.ts';
import { isSystemError } from './system-error.ts';

const USAGE_EXIT_CODE = 2;
const INTERRUPTED_EXIT_CODE = 130;

export interface CliContext extends ClientContext {
  locate: () => Promise<LocalPlatform>;
}

type Runnable = Omit<Command, 'run'> & { run: (args: string[], options: Options) => Promise<number> };

/** Runs `chorus <args>` and returns the exit code: 0 success, 1 failure, 2 invalid arguments, 130 interrupted. */
export async function runCli(args: string[], surroundings: CliContext): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    process.stdout.write(await help());
    return name === undefined ? USAGE_EXIT_CODE : 0;
  }
  const command = await find(name, surroundings);
  if (command === null) return refuse(`Unknown command "${name}".`, await help());
  const usage = `Usage: npx chorus ${name} ${command.usage}\n`;
  if (rest.includes('--help') || rest.includes('-h')) {
    process.stdout.write(`${usage}\n${command.summary}\n\n${command.details}\n`);
    return 0;
  }
  try {
    const { positionals, values } = parseArgs({ args: rest, allowPositionals: true, options: command.options ?? {} });
    return await command.run(positionals, values);
  } catch (error) {
    const isUsage =
      error instanceof UsageError || String((error as { code?: string }).code).startsWith('ERR_PARSE_ARGS');
    if ((error as { code?: string }).code === 'ABORT_ERR') return tell('', INTERRUPTED_EXIT_CODE);
    if (isSystemError(error)) return tell(error.message, 1);
    if (!isUsage) throw error;
    // Node appends advice for rare cases to the message.
    const [message = ''] = (error as Error).message.split('. To specify a positional');
    return refuse(message, `${usage}Run npx chorus ${name} --help for its options.\n`);
  }
}

/** Loading these takes half a second. */
const ownCommands = async () => (await import('./operator-commands.ts')).OPERATOR_COMMANDS;

async function find(name: string, surroundings: CliContext): Promise<Runnable | null> {
  const { from } = surroundings;
  const remote = Object.hasOwn(REMOTE_COMMANDS, name) ? REMOTE_COMMANDS[name] : undefined;
  if (remote) return { ...remote, run: (args, options) => remote.run(args, surroundings, options) };
  const commands = await ownCommands();
  const own = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!own) return null;
  return { ...own, run: async (args, options) => own.run(args, { from, ...(await surroundings.locate()) }, options) };
}

async function help(): Promise<string> {
  const list = (commands: Record<string, Pick<Command, 'usage' | 'summary'>>) =>
    Object.entries(commands)
      .map(([name, { usage, summary }]) => `  ${`${name} ${usage}`.padEnd(42)} ${summary}\n`)
      .join('');
  return (
    `Usage: npx chorus <command>\n\nAnywhere:\n${list(REMOTE_COMMANDS)}\n` +
    `On the platform's machine:\n${list(await ownCommands())}\nRun npx chorus <command> --help for details.\n`
  );
}

function tell(message: string, code: number): number {
  process.stderr.write(`${message}\n`);
  return code;
}

function refuse(message: string, usage: string): number {
  process.stderr.write(`${message}\n\n${usage}`);
  return USAGE_EXIT_CODE;
}
