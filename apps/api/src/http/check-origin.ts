import { ChorusError } from '@chorus/contract';
import type { RequestContext } from './request-context.ts';

/**
 * Refuses requests that a page of another site makes a browser send, unless `CORS_ORIGINS` has the page's origin.
 * Programs other than browsers send none of these headers.
 * @throws {ChorusError} forbidden
 */
export function checkOrigin({ request, services }: Pick<RequestContext, 'request' | 'services'>): void {
  const { origin, host = '' } = request.headers;
  const site = request.headers['sec-fetch-site'];
  if (site === 'same-origin' || site === 'none' || (site === undefined && origin === undefined)) return;
  const { corsOrigins, publicUrl } = services.config.http;
  if (corsOrigins.includes('*') || (origin !== undefined && corsOrigins.includes(origin))) return;
  const page = origin !== undefined && URL.canParse(origin) ? new URL(origin) : null;
  if (page !== null && publicUrl !== null && page.origin === new URL(publicUrl).origin) return;
  // Browsers name the site only to servers with HTTPS, and to this machine.
  if (page !== null && site === undefined && (page.host === host || page.host === request.host)) return;
  throw new ChorusError('forbidden', 'Pages of this origin are not allowed. An operator can add it to CORS_ORIGINS.');
}
