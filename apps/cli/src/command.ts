import type { ParseArgsOptionsConfig } from 'node:util';
import type { ClientSettings } from './commands/client-settings.ts';

export interface ClientContext {
  /** Folder from which the user calls; relative paths start here. */
  from: string;
  client: ClientSettings;
}

export type Options = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;

export interface Command<Context> {
  usage: string;
  summary: string;
  details: string;
  /** First arguments that the command knows, for completion. */
  actions?: readonly string[];
  options?: ParseArgsOptionsConfig;
  /** Returns the exit code: 0, or 1 on failure; client commands have more. Throws `UsageError`. */
  run(args: string[], context: Context, options: Options): Promise<number>;
}

/** Arguments that a command does not accept. */
export class UsageError extends Error {}
