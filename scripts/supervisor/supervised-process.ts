import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessDefinition, RestartPolicy } from './process-definition.ts';
import { configurationExitCode } from './process-definition.ts';
import { systemEnvironment } from './process-environment.ts';
import { parseReadyReport, type ReadyReport } from './ready-report.ts';

export interface ProcessExit {
  code: number | null;
  signal: NodeJS.Signals | null;
  error?: string;
}

export interface ProcessObserver {
  spawned(definition: ProcessDefinition, pid: number): void;
  ready(definition: ProcessDefinition, isRestart: boolean): void;
  /** `restartInMs` is undefined if it will not be restarted. */
  ended(definition: ProcessDefinition, pid: number | undefined, exit: ProcessExit, restartInMs?: number): void;
  line(definition: ProcessDefinition, line: string, source: 'stdout' | 'stderr', isRunning: boolean): void;
}

/** A process that can't be kept running. */
export interface ProcessFailure {
  name: string;
  reason: 'configuration' | 'never-ready';
  exit: ProcessExit;
}

/** One process: started, watched, and restarted when it dies, until it is stopped. */
export class SupervisedProcess {
  readonly definition: ProcessDefinition;
  readonly #policy: RestartPolicy;
  readonly #observer: ProcessObserver;
  readonly #onFailure: (failure: ProcessFailure) => void;
  readonly #stopping = new AbortController();
  readonly #firstReady = Promise.withResolvers<ReadyReport>();
  #child: ChildProcess | undefined;
  #readySince: number | undefined;
  #wasReady = false;
  #failures = 0;
  #life: Promise<void> = Promise.resolve();

  constructor(
    definition: ProcessDefinition,
    policy: RestartPolicy,
    observer: ProcessObserver,
    onFailure: (failure: ProcessFailure) => void,
  ) {
    this.definition = definition;
    this.#policy = policy;
    this.#observer = observer;
    this.#onFailure = onFailure;
  }

  /** Starts it and keeps it running. Resolves when it is ready for the first time; stays pending if it never is. */
  start(): Promise<ReadyReport> {
    if (!this.#stopping.signal.aborted) this.#life = this.#keepRunning();
    return this.#firstReady.promise;
  }

  async terminate(): Promise<void> {
    this.#stopping.abort();
    this.#child?.kill('SIGTERM');
    await this.#life;
  }

  kill(): void {
    this.#stopping.abort();
    killGroup(this.#child?.pid);
  }

  async #keepRunning(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const { pid, exit } = await this.#runOnce();
      const waitMs = signal.aborted ? undefined : this.#judge(exit);
      this.#observer.ended(this.definition, pid, exit, waitMs);
      if (waitMs === undefined) return;
      await delay(waitMs, undefined, { signal }).catch(() => {});
    }
  }

  /** @returns the delay before a restart; undefined if a restart can't help */
  #judge(exit: ProcessExit): number | undefined {
    const { firstDelayMs, maxDelayMs, healthyAfterMs, maxFailedStarts } = this.#policy;
    const { name } = this.definition;
    if (exit.code === configurationExitCode) {
      this.#onFailure({ name, reason: 'configuration', exit });
      return undefined;
    }
    if (this.#readySince !== undefined && performance.now() - this.#readySince >= healthyAfterMs) this.#failures = 0;
    const waitMs = Math.min(firstDelayMs * 2 ** this.#failures, maxDelayMs);
    this.#failures += 1;
    if (!this.#wasReady && this.#failures >= maxFailedStarts) {
      this.#onFailure({ name, reason: 'never-ready', exit });
      return undefined;
    }
    return waitMs;
  }

  #runOnce(): Promise<{ pid: number | undefined; exit: ProcessExit }> {
    const { definition } = this;
    const { promise, resolve } = Promise.withResolvers<{ pid: number | undefined; exit: ProcessExit }>();
    const ended = new AbortController();
    this.#readySince = undefined;
    try {
      definition.prepare?.();
    } catch (error) {
      const exit = { code: null, signal: null, error: error instanceof Error ? error.message : String(error) };
      return Promise.resolve({ pid: undefined, exit });
    }
    const child = spawn(definition.command, definition.args, {
      // A separate group: Ctrl-C reaches only the supervisor, which stops the processes in order.
      detached: true,
      env: {
        ...(definition.inherited ?? systemEnvironment()),
        ...definition.environment,
        CHORUS_READY_FD: '3',
      },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    this.#child = child;
    if (child.pid !== undefined) this.#observer.spawned(definition, child.pid);
    this.#watchReadiness(child, ended.signal);
    for (const source of ['stdout', 'stderr'] as const) {
      const isRunning = () => this.#readySince !== undefined && !this.#stopping.signal.aborted;
      readLines(child[source]!, (line) => this.#observer.line(definition, line, source, isRunning()));
    }
    child.on('error', (error) => {
      // Also sent when a signal could not be delivered; only a child without a pid was never started.
      if (child.pid === undefined) finish({ code: null, signal: null, error: error.message });
    });
    child.on('exit', (code, signal) => {
      killGroup(child.pid); // its children must not outlive it
      // The last output may still be in the pipes, but a child that holds them must not delay the restart.
      const drained = setTimeout(() => finish({ code, signal }), 300);
      child.on('close', () => {
        clearTimeout(drained);
        finish({ code, signal });
      });
    });
    const finish = (exit: ProcessExit) => {
      ended.abort();
      this.#child = undefined;
      for (const stream of child.stdio) stream?.destroy();
      resolve({ pid: child.pid, exit });
    };
    return promise;
  }

  #watchReadiness(child: ChildProcess, ended: AbortSignal): void {
    const { definition } = this;
    const become = (report: ReadyReport) => {
      if (ended.aborted || this.#readySince !== undefined || this.#child !== child) return;
      this.#readySince = performance.now();
      this.#observer.ready(definition, this.#wasReady);
      this.#wasReady = true;
      this.#firstReady.resolve(report);
    };
    const takeLine = (line: string) => {
      const report = parseReadyReport(line);
      if (report) become(report);
    };
    const descriptor = child.stdio[3] as import('node:stream').Readable;
    readLines(descriptor, definition.readiness === 'report' ? takeLine : () => {});
    if (definition.readiness === 'stdout') readLines(child.stdout!, takeLine);
    if (typeof definition.readiness === 'function') {
      definition.readiness(ended).then(become, () => {}); // a probe rejects only when the process has ended
    }
  }
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {}
}

/** Longer lines are split, so that a process can't fill the supervisor's memory. */
const maxLineLength = 256 * 1024;

function readLines(stream: Readable, onLine: (line: string) => void): void {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  stream.on('data', (chunk: Buffer) => {
    const pieces = (rest + decoder.write(chunk)).split('\n');
    rest = pieces.pop() ?? '';
    for (const line of pieces) onLine(line.endsWith('\r') ? line.slice(0, -1) : line);
    if (rest.length > maxLineLength) {
      onLine(rest);
      rest = '';
    }
  });
  stream.on('error', () => {}); // the process is gone; its end is reported elsewhere
  stream.on('close', () => {
    if (rest) onLine(rest);
    rest = '';
  });
}
