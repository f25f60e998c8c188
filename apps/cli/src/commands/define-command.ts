import { join } from 'node:path';
import type { ParseArgsOptionsConfig } from 'node:util';
import { type ChorusClient, ChorusError } from '@chorus/client';
import { type ClientContext, type Command, type Options, UsageError } from '../command.ts';
import { Output } from '../output.ts';
import { isSystemError } from '../system-error.ts';
import type { ClientSettings } from './client-settings.ts';
import { connect } from './connect.ts';
import { EXIT, EXIT_CODES_HELP } from './exit-codes.ts';
import { Interrupts } from './interrupts.ts';

export interface CommandContext {
  chorus: ChorusClient;
  args: string[];
  options: Options;
  output: Output;
  interrupts: Interrupts;
  /** Folder from which the user calls; relative paths start here. */
  from: string;
}

export interface CommandDefinition {
  usage: string;
  summary: string;
  details: string;
  actions?: readonly string[];
  options?: ParseArgsOptionsConfig;
  run(context: CommandContext): Promise<number>;
}

export const COMMON_OPTIONS = {
  url: { type: 'string' },
  workspace: { type: 'string' },
  profile: { type: 'string' },
  json: { type: 'boolean' },
} as const satisfies ParseArgsOptionsConfig;

export const COMMON_HELP = [
  '--url <address>      platform; default: CHORUS_URL, the platform you are logged in to, or http://127.0.0.1:8080',
  '--workspace <id>     runs in this workspace',
  '--profile <name>     uses another stored login; default: CHORUS_PROFILE',
  '--json               prints results as JSON, one document per line',
  '',
  EXIT_CODES_HELP,
].join('\n');

/** Builds a command that uses the platform over HTTP. */
export function defineCommand({ details, options, run, ...named }: CommandDefinition): Command<ClientContext> {
  return {
    ...named,
    details: `${details}\n\n${COMMON_HELP}`,
    options: { ...COMMON_OPTIONS, ...options },
    run: (args, surroundings, given) => runRemotely(surroundings, given, (context) => run({ ...context, args })),
  };
}

async function runRemotely(
  { client, from }: ClientContext,
  options: Options,
  run: (context: Omit<CommandContext, 'args'>) => Promise<number>,
): Promise<number> {
  const output = new Output(options.json === true);
  const interrupts = new Interrupts();
  try {
    const chorus = await connect(settingsFor(client, options), {
      url: textOption(options, 'url'),
      workspace: textOption(options, 'workspace'),
      agent: textOption(options, 'agent'),
    });
    return await run({ chorus, options, output, interrupts, from });
  } catch (error) {
    if (interrupts.signal.aborted) return EXIT.interrupted;
    if (isSystemError(error)) output.record({ type: 'error', error: { code: error.code, message: error.message } });
    if (!(error instanceof ChorusError)) throw error;
    return output.error(error);
  } finally {
    interrupts.close();
  }
}

/** Returns the settings of the profile that the options select. @throws {UsageError} */
export function settingsFor(settings: ClientSettings, options: Options): ClientSettings {
  const name = textOption(options, 'profile') ?? settings.profile;
  if (name === null || name === DEFAULT_PROFILE) return settings;
  if (!/^[\w.-]{1,64}$/.test(name) || name.startsWith('.'))
    throw new UsageError(`"${name}" is not a profile name: use letters, digits, dots, dashes, and underscores.`);
  return { ...settings, folder: join(settings.folder, 'profiles', name) };
}

const DEFAULT_PROFILE = 'default';

export function textOption(options: Options, name: string): string | undefined {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
}

/** Returns the values of a repeatable option. */
export function listOption(options: Options, name: string): string[] | undefined {
  const value = options[name];
  return Array.isArray(value) ? value.map(String) : undefined;
}
