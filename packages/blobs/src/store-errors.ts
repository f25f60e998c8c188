import { ChorusError } from '@chorus/contract';

export const notFound = (cause: unknown): ChorusError =>
  new ChorusError('not_found', 'The content is not there any more.', { cause });

export const storeUnavailable = (message: string, cause: unknown): ChorusError =>
  new ChorusError('store_unavailable', message, { retryAfterS: 2, cause });
