import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { systemEnvironment } from './process-environment.ts';

const script = fileURLToPath(new URL('guard.sh', import.meta.url));

/**
 * The tiny process that stops the others when the supervisor was killed. It lives in a session of its own, so neither
 * Ctrl-C nor a kill of the supervisor's group reaches it, and is started again should it die.
 */
export class Guard {
  readonly #graceSeconds: number;
  readonly #onStarted: (pid: number) => void;
  readonly #watched = new Map<number, number>();
  #shell: ChildProcess | undefined;
  #isClosed = false;

  /**
   * @param graceMs how long the processes have to end
   * @param onStarted called with its pid, again each time that it was started again
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

  /** Lets it go. What it still watches, it stops. */
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
    shell.stdin?.on('error', () => {}); // it died; the exit event follows
    shell.on('error', () => {}); // no shell: the next start still finds what was left, by its record
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
