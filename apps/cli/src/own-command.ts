import type { Command, Surroundings } from './command.ts';
import { Output } from './output.ts';

/** What a command on the platform's machine knows, and how it says what it has done. */
export interface OwnSurroundings extends Surroundings {
  output: Output;
}

/** A command on the platform's machine. */
export function ownCommand({ details, options, run, ...more }: Command<OwnSurroundings>): Command<Surroundings> {
  return {
    ...more,
    details: `${details}\n\n--json                          results for programs: a JSON document on each line`,
    options: { json: { type: 'boolean' }, ...options },
    run: (args, surroundings, given) => run(args, { ...surroundings, output: new Output(given.json === true) }, given),
  };
}
