import type { ParseArgsOptionsConfig } from 'node:util';
import type { Config, DataLocation } from '@chorus/config';
import type { ClientSettings } from './remote/client-settings.ts';

/** Where the platform's data is, and how it is configured. */
export interface Located extends DataLocation {
  /** How the running platform is configured; null where none runs. Throws `ConfigError`. */
  running: () => Config | null;
}

/** What a command that is a client knows besides its arguments. */
export interface ClientSurroundings {
  /** The folder from which the user calls: relative paths are relative to it. */
  from: string;
  client: ClientSettings;
}

/** What a command on the platform's own machine knows. */
export interface Surroundings extends Located {
  /** The folder from which the user calls: relative paths are relative to it. */
  from: string;
}

/** The options of a command, by name. */
export type Options = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;

/** One command of `chorus`. */
export interface Command<Known = Surroundings> {
  /** Its arguments, as the help shows them. */
  usage: string;
  /** What it does, in one line. */
  says: string;
  /** More for its own help. */
  details: string;
  options?: ParseArgsOptionsConfig;
  /** Answers the exit code: 0, or 1 when it could not; clients have more. Throws `UsageError` for arguments that can't be. */
  run(args: string[], surroundings: Known, options: Options): Promise<number>;
}

/** Arguments that a command does not take. */
export class UsageError extends Error {}
