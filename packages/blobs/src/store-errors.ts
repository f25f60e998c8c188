import { ChorusError } from '@chorus/contract';

export const notFound = (cause: unknown): ChorusError =>
  new ChorusError('not_found', 'The content no longer exists.', { cause });

export const storeUnavailable = (message: string, cause: unknown): ChorusError =>
  new ChorusError('store_unavailable', message, { retryAfterS: 2, cause });

export async function fromDisk<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const full = codeOf(error) === 'ENOSPC' || codeOf(error) === 'EDQUOT';
    throw storeUnavailable(full ? 'The disk of the file store is full.' : 'The file store does not work.', error);
  }
}

/** Does the same, but returns null if a file is missing. */
export function ifThere<T>(work: () => Promise<T>): Promise<T | null> {
  return fromDisk(() =>
    work().catch((error) => {
      if (codeOf(error) === 'ENOENT') return null;
      throw error;
    }),
  );
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;
