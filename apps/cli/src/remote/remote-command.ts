import type { ParseArgsOptionsConfig } from 'node:util';
import { type ChorusClient, ChorusError } from '@chorus/client';
import type { ClientSurroundings, Command, Options } from '../command.ts';
import { Output } from '../output.ts';
import { isSystemError } from '../system-error.ts';
import { connect } from './connect.ts';
import { EXIT, EXIT_CODES_HELP } from './exit-codes.ts';
import { Interrupts } from './interrupts.ts';

/** What a command gets that is a client of the platform. */
export interface RemoteContext {
  chorus: ChorusClient;
  args: string[];
  options: Options;
  output: Output;
  interrupts: Interrupts;
  /** The folder from which the user calls: relative paths are relative to it. */
  from: string;
}

export interface RemoteDefinition {
  usage: string;
  says: string;
  details: string;
  options?: ParseArgsOptionsConfig;
  /** Answers the exit code. */
  run(context: RemoteContext): Promise<number>;
}

export const REMOTE_OPTIONS = {
  url: { type: 'string' },
  workspace: { type: 'string' },
  json: { type: 'boolean' },
} as const satisfies ParseArgsOptionsConfig;

const COMMON = [
  '',
  '--url <address>      the platform; else CHORUS_URL, else where you are logged in, else http://127.0.0.1:8080',
  '--workspace <id>     runs in that workspace',
  '--json               results for programs: a JSON document on each line',
  '',
  EXIT_CODES_HELP,
].join('\n');

/** A command that does what it does over HTTP, as any client. */
export function remoteCommand({ usage, says, details, options, run }: RemoteDefinition): Command<ClientSurroundings> {
  return {
    usage,
    says,
    details: `${details}\n${COMMON}`,
    options: { ...REMOTE_OPTIONS, ...options },
    run: (args, surroundings, given) => runRemotely(surroundings, given, (context) => run({ ...context, args })),
  };
}

async function runRemotely(
  { client, from }: ClientSurroundings,
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

/** An option that has one value; undefined: it was not given. */
export function textOption(options: Options, name: string): string | undefined {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
}

/** An option that may come several times. */
export function listOption(options: Options, name: string): string[] | undefined {
  const value = options[name];
  return Array.isArray(value) ? value.map(String) : undefined;
}
