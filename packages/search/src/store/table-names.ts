import { ChorusError } from '@chorus/contract/errors';
import type { Connection } from '@lancedb/lancedb';
import { withRetries } from './with-retries.ts';

export const CHUNKS = 'chunks-';
export const TEXTS = 'texts-';

const NAME = /^[A-Za-z0-9][A-Za-z0-9.-]{0,99}$/;
const MAX_TABLES = 10_000;

export function assertName(name: string): void {
  if (!NAME.test(name))
    throw new ChorusError('invalid_request', 'Index names may only have letters, digits, dots, and dashes.');
}

export async function tableNames(connection: Connection): Promise<string[]> {
  const names = await withRetries(() => connection.tableNames({ limit: MAX_TABLES }));
  return names.filter((name) => name.startsWith(CHUNKS) || name.startsWith(TEXTS));
}
