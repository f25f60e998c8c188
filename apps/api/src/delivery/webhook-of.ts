import type { Services } from '../services.ts';
import { checkAddress } from './check-address.ts';

/**
 * Where a request wants its end told; refused at once where the text alone says that it can't be.
 *
 * @throws {ChorusError} url_not_allowed
 */
export function webhookOf(
  services: Pick<Services, 'outbound'>,
  { webhook_url: url = null }: { webhook_url?: string | null | undefined },
): string | null {
  if (url !== null) checkAddress(services, url, 'body.webhook_url');
  return url;
}
