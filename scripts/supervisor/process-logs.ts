import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { LogFile } from './log-file.ts';
import { type LogLine, parseLogLine } from './log-line.ts';
import type { ProcessDefinition } from './process-definition.ts';
import type { Terminal } from './terminal.ts';

const keptComplaints = 20;

/** What a process says again within this time, in milliseconds, is in its file alone: a server that is away is told of by every connection. */
const repeatsMs = 10_000;

/** What was said longer than this before the end, in milliseconds, is not its reason. */
const lastWordsMs = 2000;

/** Where the lines go that the processes print: all of them to a file for each, what matters to the terminal too. */
export class ProcessLogs {
  readonly #folder: string;
  readonly #terminal: Terminal;
  readonly #files = new Map<string, LogFile>();
  /** When a line was last on the terminal, by process and text; those of before `repeatsMs` are forgotten now and then. */
  readonly #shownAt = new Map<string, number>();
  readonly #complaints = new Map<string, { text: string; at: number }[]>();

  /** @param folder made when missing */
  constructor(folder: string, terminal: Terminal) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#folder = folder;
    this.#terminal = terminal;
  }

  /** @param isRunning whether the process is between its readiness and its end */
  take(definition: ProcessDefinition, line: string, source: 'stdout' | 'stderr', isRunning: boolean): void {
    const { name } = definition;
    this.#file(name).write(line);
    if (line.trim() === '') return;
    const parsed = parseLogLine(line, source);
    this.#keepComplaint(name, parsed);
    // A banner at its start or end, or the many lines of the reason why it ended, which are summed up then.
    const isAside = (!isRunning && !parsed.isRecord) || (parsed.isRecord && this.#isRepeated(name, parsed.text));
    this.#terminal.show(name, isAside ? { ...parsed, severity: 'debug' } : parsed);
  }

  /** A process has begun anew: what it complained of before is no longer the reason for anything. */
  begin(name: string): void {
    this.#complaints.delete(name);
  }

  /** The last warnings and errors of the process's present run, as text. */
  complaints(name: string): string[] {
    return (this.#complaints.get(name) ?? []).map(({ text }) => text);
  }

  /** What most likely says why the process has just ended, as one line. */
  reason(name: string): string | undefined {
    const since = performance.now() - lastWordsMs;
    const words = (this.#complaints.get(name) ?? []).filter(({ at }) => at >= since).map(({ text }) => text);
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

  #keepComplaint(name: string, { severity, text }: LogLine): void {
    if (severity !== 'warn' && severity !== 'error') return;
    // The insides of what was thrown, which Node prints at length, would push out what it is.
    if (/^\s/.test(text) && (this.#complaints.get(name)?.length ?? 0) >= keptComplaints / 2) return;
    const before = this.#complaints.get(name) ?? [];
    this.#complaints.set(name, [...before, { text, at: performance.now() }].slice(-keptComplaints));
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
