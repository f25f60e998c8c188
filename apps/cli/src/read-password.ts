import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { newPassword } from '@chorus/contract';
import { UsageError } from './command.ts';

/**
 * A new password: asked for twice at a terminal, unseen; else the first line of standard input. Never an argument, since those are seen by all
 * users of a machine.
 */
export async function readPassword(): Promise<string> {
  const password = process.stdin.isTTY ? await askTwice() : await firstLine();
  const checked = newPassword.safeParse(password);
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
    if ((await ask('Once more')) !== password) throw new UsageError('The two are not the same.');
    return password;
  } finally {
    terminal.close();
  }
}

async function firstLine(): Promise<string> {
  for await (const line of createInterface({ input: process.stdin })) return line;
  throw new UsageError('The password is read from standard input, and nothing came.');
}
