import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { issueMessage, newPassword } from '@chorus/contract';
import { UsageError } from '../command.ts';

/**
 * Reads a new password, twice and hidden at a terminal, otherwise the first line of standard input.
 * Never an argument, because all users of a machine can see those.
 */
export async function readPassword(): Promise<string> {
  const password = process.stdin.isTTY ? await askTwice() : await firstLine();
  const checked = newPassword.safeParse(password, { error: issueMessage });
  if (!checked.success) throw new UsageError(`The password ${checked.error.issues[0]?.message ?? 'is not valid'}.`);
  return checked.data;
}

async function askTwice(): Promise<string> {
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: unseen, terminal: true });
  const ask = async (what: string) => {
    process.stderr.write(`${what}: `);
    const answer = await terminal.question('');
    process.stderr.write('\n');
    return answer;
  };
  try {
    const password = await ask('New password');
    if ((await ask('New password again')) !== password) throw new UsageError('The passwords do not match.');
    return password;
  } finally {
    terminal.close();
  }
}

async function firstLine(): Promise<string> {
  for await (const line of createInterface({ input: process.stdin })) return line;
  throw new UsageError('There is no password on standard input.');
}
