import { createHash } from 'node:crypto';
import { appendFile, open, readFile, rename, rm, writeFile } from 'node:fs/promises';

import { UsageError } from '../command.ts';

/** What is known of a file's batch while it runs, beside that file. */
export interface BatchState {
  /** Of the platform that runs it. */
  url: string;
  /** Of the file's content, in hexadecimal. */
  sha256: string;
  /** The request's own: sent again after a lost answer, it finds the batch that it began. */
  key: string;
  /** Null until that is known. */
  batch_id: string | null;
}

export const stateFile = (file: string) => `${file}.chorus.json`;
export const resultsFile = (file: string) => `${file}.results.ndjson`;

export const hashOf = (content: string): string => createHash('sha256').update(content).digest('hex');

/** @throws {UsageError} for one that nobody can read */
export async function readState(file: string): Promise<BatchState | null> {
  const text = await readFile(stateFile(file), 'utf8').catch(() => null);
  try {
    return text === null ? null : (JSON.parse(text) as BatchState);
  } catch {
    throw new UsageError(`${stateFile(file)} is damaged: --new begins anew, --resume <id> goes on with a batch.`);
  }
}

export async function writeState(file: string, state: BatchState): Promise<void> {
  const next = `${stateFile(file)}.next`;
  await writeFile(next, `${JSON.stringify(state)}\n`);
  await rename(next, stateFile(file));
}

export const forgetState = (file: string): Promise<void> => rm(stateFile(file), { force: true });

/** The results of a batch in a file, a line each: what is there is not fetched again. */
export class ResultsFile {
  readonly path: string;
  /** Where to go on from; undefined: there is nothing yet. */
  readonly cursor: string | undefined;

  private constructor(path: string, cursor: string | undefined) {
    this.path = path;
    this.cursor = cursor;
  }

  /** @param goesOn whether what is there is of the same batch; a line that was being written when the command was killed is taken away */
  static async open(file: string, goesOn: boolean): Promise<ResultsFile> {
    const path = resultsFile(file);
    if (!goesOn) {
      await writeFile(path, '');
      return new ResultsFile(path, undefined);
    }
    const text = await readFile(path, 'utf8').catch(() => '');
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    const handle = await open(path, 'a');
    await handle.truncate(Buffer.byteLength(whole)).finally(() => handle.close());
    const last = whole.trimEnd().split('\n').at(-1);
    const cursor = last ? (JSON.parse(last) as { cursor: string }).cursor : undefined;
    return new ResultsFile(path, cursor);
  }

  async append(result: { cursor: string }): Promise<void> {
    await appendFile(this.path, `${JSON.stringify(result)}\n`);
  }
}
