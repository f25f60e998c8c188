import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { UsageError } from '../command.ts';

export interface Prompt {
  what: string;
  secret: boolean;
}

export type Ask = (asked: readonly Prompt[]) => Promise<string[]>;

/**
 * Prompts at a terminal; otherwise reads one line of standard input for each.
 * Never arguments, because all users of a machine can see those.
 */
export async function promptAll(asked: readonly Prompt[]): Promise<string[]> {
  return withPrompts((ask) => ask(asked));
}

export async function withPrompts<T>(act: (ask: Ask) => Promise<T>): Promise<T> {
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
            `Standard input must contain ${asked.map(({ what }) => what).join(', then ')}, one per line.`,
          );
        answers.push(value);
      }
      return answers;
    });
  } finally {
    input.close();
  }
}

async function askAtTerminal(asked: readonly Prompt[]): Promise<string[]> {
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
