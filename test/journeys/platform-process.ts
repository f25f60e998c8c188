import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { programFile } from '../../scripts/programs/built-programs.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** These only catch hangs. */
const READY_WITHIN_MS = 100_000;
const END_WITHIN_MS = 40_000;

const MAX_LOG_LINES = 20_000;

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Runs one platform process from its `main.ts`, and keeps its output. It never outlives the test process. */
export class PlatformProcess {
  readonly name: string;
  readonly #main: string;
  readonly #env: Record<string, string>;
  readonly #root: string;
  readonly #log: string[] = [];
  #child: ChildProcess | null = null;
  #report: Record<string, unknown> = {};

  constructor(name: string, main: string, env: Record<string, string>, root = ROOT) {
    this.name = name;
    this.#main = main;
    this.#env = env;
    this.#root = root;
  }

  async start(): Promise<this> {
    const { PATH = '', HOME = '', NODE_COMPILE_CACHE } = process.env;
    const child = spawn(process.execPath, [programFile(this.#root, this.#main)], {
      cwd: this.#root,
      env: {
        PATH,
        HOME,
        ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }),
        CHORUS_READY_FD: '3',
        CHORUS_TEST_KEEP_MEMORY: '1',
        ...this.#env,
      },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    this.#child = child;
    running.add(child);
    const exited = once(child, 'exit');
    exited.then(
      ([code, signal]) => {
        running.delete(child);
        this.#note(`-- pid ${child.pid} ended: ${signal ?? code}`);
      },
      (error: Error) => this.#note(`-- could not be started: ${error.message}`),
    );
    for (const stream of [child.stdout, child.stderr]) onLines(stream, (line) => this.#note(line));
    const report = new Promise<string>((resolve) => onLines(child.stdio[3] as NodeJS.ReadableStream, resolve));
    const timeout = new AbortController();
    const late = once(AbortSignal.timeout(READY_WITHIN_MS), 'abort', { signal: timeout.signal }).catch(() => undefined);
    const line = await Promise.race([report, exited, late]);
    timeout.abort();
    if (typeof line !== 'string') {
      child.kill('SIGKILL');
      throw new Error(`${this.name} did not get ready:\n${this.tail()}`);
    }
    this.#report = JSON.parse(line) as Record<string, unknown>;
    return this;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** The fields of its ready message, such as the API's `url`. */
  get report(): Record<string, unknown> {
    return this.#report;
  }

  get url(): string {
    return String(this.#report.url);
  }

  get alive(): boolean {
    return this.#child !== null && running.has(this.#child);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  /** Sends a signal and waits for the exit; returns the exit code, or null after an unhandled signal. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#child;
    if (child === null || !running.has(child)) return child?.exitCode ?? null;
    const exited = once(child, 'exit');
    child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), END_WITHIN_MS);
    await exited;
    clearTimeout(timer);
    return child.exitCode;
  }

  /** Returns the last warnings, errors, and plain-text lines of the log. */
  tail(lines = 40): string {
    return this.#log
      .filter((line) => !/^\{"level":"(info|debug|trace)"/.test(line))
      .slice(-lines)
      .join('\n');
  }

  get log(): readonly string[] {
    return this.#log;
  }

  #note(line: string): void {
    this.#log.push(line);
    if (this.#log.length > MAX_LOG_LINES) this.#log.splice(0, MAX_LOG_LINES / 10);
  }
}

function onLines(stream: NodeJS.ReadableStream | null, take: (line: string) => void): void {
  let rest = '';
  stream?.setEncoding('utf8');
  stream?.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') take(line);
  });
  stream?.on('error', () => undefined);
}
