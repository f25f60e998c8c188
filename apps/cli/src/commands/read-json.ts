import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { UsageError } from '../command.ts';

/** Reads a file of JSON. The server checks its fields. */
export async function readJson<T>(from: string, path: string): Promise<T> {
  const text = await readFile(resolve(from, path), 'utf8');
  try {
    return JSON.parse(text) as T;
  } catch (error) {
    throw new UsageError(`${path} is not valid JSON: ${(error as Error).message}`);
  }
}
