import { ChorusError } from '@chorus/contract';
import type { Services } from '../services.ts';

/**
 * Where a request wants its end told; refused at once where the text alone says that it can't be.
 *
 * @throws {ChorusError} url_not_allowed
 */
export function webhookOf(
  { outbound }: Pick<Services, 'outbound'>,
  { webhook_url: url = null }: { webhook_url?: string | null | undefined },
): string | null {
  if (url === null) return null;
  try {
    outbound.check(url);
    return url;
  } catch (error) {
    if (!(error instanceof ChorusError)) throw error;
    const details = [{ path: 'body.webhook_url', message: error.message }];
    throw new ChorusError(error.code, error.message, { details });
  }
}
