import { createHash } from 'node:crypto';
import { appendFile, open, readFile, rename, rm, writeFile } from 'node:fs/promises';

import { UsageError } from '../command.ts';

/** State of a file's running batch, stored next to the file. */
export interface BatchState {
  url: string;
  sha256: string;
  /** Idempotency key: a repeated request finds the batch that it created. */
  key: string;
  batch_id: string | null;
}

export const stateFile = (file: string) => `${file}.chorus.json`;
export const resultsFile = (file: string) => `${file}.results.ndjson`;

export const hashOf = (content: string): string => createHash('sha256').update(content).digest('hex');

/** @throws {UsageError} for an unreadable file */
export async function readState(file: string): Promise<BatchState | null> {
  const text = await readFile(stateFile(file), 'utf8').catch(() => null);
  try {
    return text === null ? null : (JSON.parse(text) as BatchState);
  } catch {
    throw new UsageError(
      `${stateFile(file)} is damaged: use --new to start a new batch, or --resume <id> to continue one.`,
    );
  }
}

export async function writeState(file: string, state: BatchState): Promise<void> {
  const next = `${stateFile(file)}.next`;
  await writeFile(next, `${JSON.stringify(state)}\n`);
  await rename(next, stateFile(file));
}

export const forgetState = (file: string): Promise<void> => rm(stateFile(file), { force: true });

/** Appends results to a file, one per line, so that none is fetched twice. */
export class ResultsFile {
  readonly path: string;
  readonly cursor: string | undefined;

  private constructor(path: string, cursor: string | undefined) {
    this.path = path;
    this.cursor = cursor;
  }

  /** @param goesOn whether to keep results of the same batch; a partial last line is removed */
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
