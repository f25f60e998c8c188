import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { LogFile } from './log-file.ts';
import { type LogLine, parseLogLine } from './log-line.ts';
import type { ProcessDefinition } from './process-definition.ts';
import type { Terminal } from './terminal.ts';

const keptErrors = 20;

/** Messages repeated within this time, such as connection errors, only go to the file. */
const repeatsMs = 10_000;

/** Older errors do not explain an exit. */
const recentErrorsMs = 2000;

/** Writes the output of each process to its file, and important lines to the terminal. */
export class ProcessLogs {
  readonly #folder: string;
  readonly #terminal: Terminal;
  readonly #files = new Map<string, LogFile>();
  /** When a line was last shown, by process and text. Entries older than `repeatsMs` are dropped now and then. */
  readonly #shownAt = new Map<string, number>();
  readonly #errors = new Map<string, { text: string; at: number }[]>();

  constructor(folder: string, terminal: Terminal) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#folder = folder;
    this.#terminal = terminal;
  }

  take(definition: ProcessDefinition, line: string, source: 'stdout' | 'stderr', isRunning: boolean): void {
    const { name } = definition;
    this.#file(name).write(line);
    if (line.trim() === '') return;
    const parsed = parseLogLine(line, source);
    this.#keepError(name, parsed);
    // Banners, and crash output, which is summarized when the process ends.
    const isAside = (!isRunning && !parsed.isRecord) || (parsed.isRecord && this.#isRepeated(name, parsed.text));
    this.#terminal.show(name, isAside ? { ...parsed, severity: 'debug' } : parsed);
  }

  begin(name: string): void {
    this.#errors.delete(name);
  }

  errors(name: string): string[] {
    return (this.#errors.get(name) ?? []).map(({ text }) => text);
  }

  /** Returns the most likely reason why the process has just ended, as one line. */
  reason(name: string): string | undefined {
    const since = performance.now() - recentErrorsMs;
    const words = (this.#errors.get(name) ?? []).filter(({ at }) => at >= since).map(({ text }) => text);
    const line =
      words.findLast((text) => /^\S.*error\b[^:]*:|^error:|^fatal|^configuration:/i.test(text)) ?? words.at(-1);
    return line?.split('\n', 1)[0]?.trim();
  }

  pathOf(name: string): string {
    return join(this.#folder, `${name}.log`);
  }

  close(): void {
    for (const file of this.#files.values()) file.close();
  }

  #keepError(name: string, { severity, text }: LogLine): void {
    if (severity !== 'warn' && severity !== 'error') return;
    // Node prints details of thrown values, which would push out the message.
    if (/^\s/.test(text) && (this.#errors.get(name)?.length ?? 0) >= keptErrors / 2) return;
    const before = this.#errors.get(name) ?? [];
    this.#errors.set(name, [...before, { text, at: performance.now() }].slice(-keptErrors));
  }

  #isRepeated(name: string, text: string): boolean {
    const now = performance.now();
    if (this.#shownAt.size > 1_000) {
      for (const [key, at] of this.#shownAt) if (now - at > repeatsMs) this.#shownAt.delete(key);
    }
    const key = `${name} ${text}`;
    const isRepeated = now - (this.#shownAt.get(key) ?? Number.NEGATIVE_INFINITY) < repeatsMs;
    if (!isRepeated) this.#shownAt.set(key, now);
    return isRepeated;
  }

  #file(name: string): LogFile {
    const known = this.#files.get(name);
    if (known) return known;
    const file = new LogFile(this.pathOf(name));
    this.#files.set(name, file);
    return file;
  }
}
