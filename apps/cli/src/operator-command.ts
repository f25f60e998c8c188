import type { Command, CommandContext } from './command.ts';
import { Output } from './output.ts';

export interface OperatorContext extends CommandContext {
  output: Output;
}

/** Adds output and `--json` to a command for the platform's machine. */
export function operatorCommand({ details, options, run, ...more }: Command<OperatorContext>): Command<CommandContext> {
  return {
    ...more,
    details: `${details}\n\n--json                          prints results as JSON, one document per line`,
    options: { json: { type: 'boolean' }, ...options },
    run: (args, surroundings, given) => run(args, { ...surroundings, output: new Output(given.json === true) }, given),
  };
}
