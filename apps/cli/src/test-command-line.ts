import { AsyncLocalStorage } from 'node:async_hooks';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { loadDataLocation, loadRunningConfig } from '@chorus/runtime/config';
import { onTestFinished, vi } from 'vitest';
import { ADMIN } from './admin/index.ts';
import { clientSettings } from './commands/client-settings.ts';
import { CHORUS } from './commands/index.ts';
import { runProgram } from './run-program.ts';

const PROGRAMS = { chorus: 'main.ts', admin: 'admin/main.ts' } as const;

export interface Ran {
  code: number;
  out: string;
  errors: string;
}

export interface CommandOptions {
  input?: string;
  interactive?: boolean;
  /** A terminal: each line is typed once its question is shown. */
  typed?: [question: string, line: string][];
  env?: NodeJS.ProcessEnv;
}

/** Runs a program from a folder with these variables only. */
export interface CommandLine {
  /** Runs a command in the test's process, which is much cheaper. Concurrent runs are supported. */
  run(args: string[], options?: CommandOptions): Promise<Ran>;
  /** Starts a command as users do, with real signals and exit codes. */
  start(args: string[], options?: CommandOptions): { child: ChildProcessWithoutNullStreams; ended: Promise<Ran> };
}

export function commandLine(
  from: string,
  shared: NodeJS.ProcessEnv,
  program: keyof typeof PROGRAMS = 'chorus',
): CommandLine {
  return {
    run: async (args, { input = '', typed, env = {} } = {}) => {
      const all = { ...shared, ...env };
      const stdin = typed ? Object.assign(new PassThrough(), { isTTY: true }) : Readable.from([Buffer.from(input)]);
      const streams: Streams = { stdin, out: '', errors: '', typed: [...(typed ?? [])], asked: 0 };
      divertStreams();
      const code = await running.run(streams, () =>
        program === 'chorus'
          ? runProgram(CHORUS, args, () => ({ from, client: clientSettings(all) }))
          : runProgram(ADMIN, args, () => ({
              from,
              ...loadDataLocation(all),
              running: () => loadRunningConfig(all),
            })),
      );
      return { code, out: streams.out, errors: streams.errors };
    },
    start: (args, { input = '', interactive = false, env = {} } = {}) => {
      const { PATH, NODE_COMPILE_CACHE } = process.env;
      const main = fileURLToPath(new URL(PROGRAMS[program], import.meta.url));
      const child = spawn(process.execPath, [main, ...args], {
        cwd: from,
        env: { PATH, NODE_COMPILE_CACHE, ...shared, ...env },
      });
      child.stdin.on('error', () => {}); // the command may not read it
      if (!interactive) child.stdin.end(input);
      const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]).then(
        ([out, errors, [code]]) => ({ code, out, errors }),
      );
      return { child, ended };
    },
  };
}

interface Streams {
  stdin: Readable;
  out: string;
  errors: string;
  /** Lines that are still to be typed. */
  typed: [question: string, line: string][];
  /** Where the last question ended in `errors`. */
  asked: number;
}

/** Streams of the command in the current async context. */
const running = new AsyncLocalStorage<Streams>();

function typeNext(streams: Streams): void {
  const [next] = streams.typed;
  const at = next === undefined ? -1 : streams.errors.indexOf(next[0], streams.asked);
  if (next === undefined || at < 0) return;
  streams.typed.shift();
  streams.asked = at + next[0].length;
  // The question listens once it is written.
  setImmediate(() => (streams.stdin as PassThrough).write(`${next[1]}\r`));
}

/** Gives each in-process command its own standard streams until the test ends. */
function divertStreams(): void {
  const { stdout, stderr } = process;
  if (vi.isMockFunction(stdout.write)) return;
  const toRun = (write: typeof stdout.write, stream: NodeJS.WriteStream, name: 'out' | 'errors') =>
    ((...args: Parameters<typeof write>) => {
      const streams = running.getStore();
      if (streams === undefined) return write.apply(stream, args);
      streams[name] += String(args[0]);
      typeNext(streams);
      return true;
    }) as typeof write;
  const spies = [
    vi.spyOn(stdout, 'write').mockImplementation(toRun(stdout.write, stdout, 'out')),
    vi.spyOn(stderr, 'write').mockImplementation(toRun(stderr.write, stderr, 'errors')),
    vi.spyOn(process, 'stdin', 'get').mockImplementation(() => running.getStore()?.stdin as typeof process.stdin),
  ];
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore();
  });
}
