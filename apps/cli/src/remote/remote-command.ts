import type { ParseArgsOptionsConfig } from 'node:util';
import { type ChorusClient, ChorusError } from '@chorus/client';
import type { ClientContext, Command, Options } from '../command.ts';
import { Output } from '../output.ts';
import { isSystemError } from '../system-error.ts';
import { connect } from './connect.ts';
import { EXIT, EXIT_CODES_HELP } from './exit-codes.ts';
import { Interrupts } from './interrupts.ts';

export interface RemoteContext {
  chorus: ChorusClient;
  args: string[];
  options: Options;
  output: Output;
  interrupts: Interrupts;
  /** Folder from which the user calls; relative paths start here. */
  from: string;
}

export interface RemoteDefinition {
  usage: string;
  summary: string;
  details: string;
  options?: ParseArgsOptionsConfig;
  run(context: RemoteContext): Promise<number>;
}

export const REMOTE_OPTIONS = {
  url: { type: 'string' },
  workspace: { type: 'string' },
  json: { type: 'boolean' },
} as const satisfies ParseArgsOptionsConfig;

const COMMON = [
  '',
  '--url <address>      platform; default: CHORUS_URL, the platform you are logged in to, or http://127.0.0.1:8080',
  '--workspace <id>     runs in this workspace',
  '--json               prints results as JSON, one document per line',
  '',
  EXIT_CODES_HELP,
].join('\n');

/** Builds a command that uses the platform over HTTP. */
export function remoteCommand({ usage, summary, details, options, run }: RemoteDefinition): Command<ClientContext> {
  return {
    usage,
    summary,
    details: `${details}\n${COMMON}`,
    options: { ...REMOTE_OPTIONS, ...options },
    run: (args, surroundings, given) => runRemotely(surroundings, given, (context) => run({ ...context, args })),
  };
}

async function runRemotely(
  { client, from }: ClientContext,
  options: Options,
  run: (context: Omit<RemoteContext, 'args'>) => Promise<number>,
): Promise<number> {
  const output = new Output(options.json === true);
  const interrupts = new Interrupts();
  try {
    const chorus = await connect(client, {
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

export function textOption(options: Options, name: string): string | undefined {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
}

/** Returns the values of a repeatable option. */
export function listOption(options: Options, name: string): string[] | undefined {
  const value = options[name];
  return Array.isArray(value) ? value.map(String) : undefined;
}
