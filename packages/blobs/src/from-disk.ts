import { storeUnavailable } from './store-errors.ts';

/** Runs what works on the store's files; whatever fails there is `store_unavailable`, with what the system said as its cause. */
export async function fromDisk<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const full = codeOf(error) === 'ENOSPC' || codeOf(error) === 'EDQUOT';
    throw storeUnavailable(full ? 'The disk of the file store is full.' : 'The file store does not work.', error);
  }
}

/** The same where a file that isn't there is an answer: null. */
export function ifThere<T>(work: () => Promise<T>): Promise<T | null> {
  return fromDisk(() =>
    work().catch((error) => {
      if (codeOf(error) === 'ENOENT') return null;
      throw error;
    }),
  );
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;
