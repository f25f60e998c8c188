import { parseArgs } from 'node:util';
import { backup } from './backup.ts';
import { type Command, type Surroundings, UsageError } from './command.ts';
import { erase } from './erase.ts';
import { key } from './key.ts';
import { REMOTE_COMMANDS } from './remote/index.ts';
import { restore } from './restore.ts';
import { signingKey } from './signing-key.ts';
import { user } from './user.ts';
import { workspace } from './workspace.ts';

/** Commands for whoever runs the platform, on its own machine. */
const OWN_COMMANDS: Record<string, Command> = {
  backup,
  restore,
  user,
  workspace,
  key,
  'signing-key': signingKey,
  erase,
};
const COMMANDS: Record<string, Command> = { ...REMOTE_COMMANDS, ...OWN_COMMANDS };
const USAGE_EXIT_CODE = 2;

/** Runs `chorus <args>`; answers the exit code: 0, 1 when the command failed, 2 for arguments that can't be. */
export async function runCli(args: string[], surroundings: Surroundings): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    process.stdout.write(help());
    return name === undefined ? USAGE_EXIT_CODE : 0;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) return refuse(`There is no command "${name}".`, help());
  const usage = `Usage: npx chorus ${name} ${command.usage}\n`;
  if (rest.includes('--help') || rest.includes('-h')) {
    process.stdout.write(`${usage}\n${command.says}\n\n${command.details}\n`);
    return 0;
  }
  try {
    const { positionals, values } = parseArgs({ args: rest, allowPositionals: true, options: command.options ?? {} });
    return await command.run(positionals, surroundings, values);
  } catch (error) {
    const isUsage =
      error instanceof UsageError || String((error as { code?: string }).code).startsWith('ERR_PARSE_ARGS');
    if (!isUsage) throw error;
    return refuse((error as Error).message, usage);
  }
}

function help(): string {
  const list = (commands: Record<string, Command>) =>
    Object.entries(commands)
      .map(([name, { usage, says }]) => `  ${`${name} ${usage}`.padEnd(42)} ${says}\n`)
      .join('');
  return (
    `Usage: npx chorus <command>\n\nAnywhere:\n${list(REMOTE_COMMANDS)}\n` +
    `On the platform's machine:\n${list(OWN_COMMANDS)}\nnpx chorus <command> --help says more.\n`
  );
}

function refuse(message: string, usage: string): number {
  process.stderr.write(`${message}\n\n${usage}`);
  return USAGE_EXIT_CODE;
}
