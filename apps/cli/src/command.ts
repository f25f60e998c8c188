import type { ParseArgsOptionsConfig } from 'node:util';
import type { ClientSettings, Config, DataLocation } from '@chorus/config';

/** What a command knows besides its arguments. */
export interface Surroundings extends DataLocation {
  /** The folder from which the user calls: relative paths are relative to it. */
  from: string;
  /** How the running platform is configured; null where none runs. Throws `ConfigError`. */
  running: () => Config | null;
  /** What the environment says to commands that are clients. */
  client: ClientSettings;
}

/** The options of a command, by name. */
export type Options = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;

/** One command of `chorus`. */
export interface Command {
  /** Its arguments, as the help shows them. */
  usage: string;
  /** What it does, in one line. */
  says: string;
  /** More for its own help. */
  details: string;
  options?: ParseArgsOptionsConfig;
  /** Answers the exit code: 0, or 1 when it could not; clients have more. Throws `UsageError` for arguments that can't be. */
  run(args: string[], surroundings: Surroundings, options: Options): Promise<number>;
}

/** Arguments that a command does not take. */
export class UsageError extends Error {}
