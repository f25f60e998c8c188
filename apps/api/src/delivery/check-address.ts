import { ChorusError } from '@chorus/contract';
import type { Services } from '../services.ts';

/**
 * Refuses an address at once where its text alone says that it can't be; its host is judged when it is connected to.
 *
 * @param path where it stands in the request
 * @throws {ChorusError} url_not_allowed, naming the field
 */
export function checkAddress({ outbound }: Pick<Services, 'outbound'>, url: string, path: string): void {
  try {
    outbound.check(url);
  } catch (error) {
    if (!(error instanceof ChorusError)) throw error;
    throw new ChorusError(error.code, error.message, { details: [{ path, message: error.message }] });
  }
}
