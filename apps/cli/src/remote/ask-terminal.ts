import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { UsageError } from '../command.ts';

/** What is asked for: its name, and whether it may be seen while it is typed. */
export interface Asked {
  what: string;
  secret: boolean;
}

/** Asks at a terminal, one after the other; else takes one line of standard input for each. Never arguments, since those are seen by all users of a machine. */
export async function askFor(asked: readonly Asked[]): Promise<string[]> {
  return process.stdin.isTTY ? askAtTerminal(asked) : readLines(asked);
}

async function askAtTerminal(asked: readonly Asked[]): Promise<string[]> {
  const answers: string[] = [];
  for (const { what, secret } of asked) {
    const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
    const terminal = createInterface({
      input: process.stdin,
      output: secret ? unseen : process.stderr,
      terminal: true,
    });
    try {
      if (secret) process.stderr.write(`${what}: `);
      answers.push(await terminal.question(secret ? '' : `${what}: `));
      if (secret) process.stderr.write('\n');
    } finally {
      terminal.close();
    }
  }
  return answers;
}

async function readLines(asked: readonly Asked[]): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of createInterface({ input: process.stdin })) {
    lines.push(line);
    if (lines.length === asked.length) return lines;
  }
  throw new UsageError(`Standard input must give ${asked.map(({ what }) => what).join(', then ')}, a line each.`);
}
