import type { ParseArgsOptionsConfig } from 'node:util';
import type { Config, DataLocation } from '@chorus/runtime/config';
import type { ClientSettings } from './remote/client-settings.ts';

export interface LocalPlatform extends DataLocation {
  /** Returns the running platform's configuration, or null if it is stopped. Throws `ConfigError`. */
  running: () => Config | null;
}

export interface ClientContext {
  /** Folder from which the user calls; relative paths start here. */
  from: string;
  client: ClientSettings;
}

export interface CommandContext extends LocalPlatform {
  /** Folder from which the user calls; relative paths start here. */
  from: string;
}

export type Options = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;

export interface Command<Known = CommandContext> {
  usage: string;
  summary: string;
  details: string;
  options?: ParseArgsOptionsConfig;
  /** Returns the exit code: 0, or 1 on failure; client commands have more. Throws `UsageError`. */
  run(args: string[], surroundings: Known, options: Options): Promise<number>;
}

/** Arguments that a command does not accept. */
export class UsageError extends Error {}
