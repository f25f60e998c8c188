import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { systemEnvironment } from './process-environment.ts';

const script = fileURLToPath(new URL('guard.sh', import.meta.url));

/**
 * A tiny process that stops the others if the supervisor is killed. It runs in a separate session, so neither
 * Ctrl-C nor a kill of the supervisor's group reaches it. If it dies, it is restarted.
 */
export class Guard {
  readonly #graceSeconds: number;
  readonly #onStarted: (pid: number) => void;
  readonly #watched = new Map<number, number>();
  #shell: ChildProcess | undefined;
  #isClosed = false;

  /**
   * @param graceMs how long the processes have to end
   * @param onStarted called with its pid after each start
   */
  constructor(graceMs: number, onStarted: (pid: number) => void = () => {}) {
    this.#graceSeconds = Math.ceil(graceMs / 1000);
    this.#onStarted = onStarted;
    this.#start();
  }

  watch(pid: number, stopStage: number): void {
    this.#watched.set(pid, stopStage);
    this.#send(`+ ${stopStage} ${pid}\n`);
  }

  forget(pid: number): void {
    if (this.#watched.delete(pid)) this.#send(`- ${pid}\n`);
  }

  close(): void {
    this.#isClosed = true;
    this.#shell?.stdin?.end();
    this.#shell?.unref();
  }

  #start(): void {
    const shell = spawn('sh', [script, String(this.#graceSeconds)], {
      detached: true,
      env: systemEnvironment(),
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.#shell = shell;
    shell.stdin?.on('error', () => {}); // has died; the exit event follows
    shell.on('error', () => {}); // no shell: the next start still finds leftovers in their record
    shell.on('exit', () => {
      setTimeout(() => this.#isClosed || this.#start(), 100).unref();
    });
    if (shell.pid !== undefined) this.#onStarted(shell.pid);
    for (const [pid, stopStage] of this.#watched) this.#send(`+ ${stopStage} ${pid}\n`);
  }

  #send(line: string): void {
    this.#shell?.stdin?.write(line);
  }
}
