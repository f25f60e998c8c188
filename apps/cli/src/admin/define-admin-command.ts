import type { Command } from '../command.ts';
import { Output } from '../output.ts';
import type { LocalContext } from './local-context.ts';

export interface AdminContext extends LocalContext {
  output: Output;
}

/** Adds output and `--json` to a command for the platform's machine. */
export function defineAdminCommand({ details, options, run, ...more }: Command<AdminContext>): Command<LocalContext> {
  return {
    ...more,
    details: `${details}\n\n--json                          prints results as JSON, one document per line`,
    options: { json: { type: 'boolean' }, ...options },
    run: (args, surroundings, given) => run(args, { ...surroundings, output: new Output(given.json === true) }, given),
  };
}
