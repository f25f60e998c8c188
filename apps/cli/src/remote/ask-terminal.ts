import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { UsageError } from '../command.ts';

/** What is asked for: its name, and whether it may be seen while it is typed. */
export interface Asked {
  what: string;
  secret: boolean;
}

export type Ask = (asked: readonly Asked[]) => Promise<string[]>;

/**
 * Asks at a terminal, one after the other; otherwise takes one line of standard input for each. Never arguments, since all users of a machine can see those.
 */
export async function askFor(asked: readonly Asked[]): Promise<string[]> {
  return withAnswers((ask) => ask(asked));
}

/** The same, for what is asked step by step. */
export async function withAnswers<T>(act: (ask: Ask) => Promise<T>): Promise<T> {
  if (process.stdin.isTTY) return act(askAtTerminal);
  const input = createInterface({ input: process.stdin });
  const lines = input[Symbol.asyncIterator]();
  try {
    return await act(async (asked) => {
      const answers: string[] = [];
      for (const _ of asked) {
        const { value, done } = await lines.next();
        if (done)
          throw new UsageError(
            `Standard input must give ${asked.map(({ what }) => what).join(', then ')}, a line each.`,
          );
        answers.push(value);
      }
      return answers;
    });
  } finally {
    input.close();
  }
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
