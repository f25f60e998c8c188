import { isIP } from 'node:net';
import { ChorusError } from '@chorus/contract';
import type { ScopedContext } from '../http/request-context.ts';
import { isKnownVersion, PROTOCOL_VERSIONS } from './protocol.ts';

/**
 * Checks the headers that the protocol requires: a page's origin, and the version.
 * @throws {ChorusError} forbidden, invalid_request
 */
export function checkRequest({ request, services }: ScopedContext): void {
  const { origin, host = '', 'mcp-protocol-version': version } = request.headers;
  if (origin !== undefined && !isAllowed(origin, host, services.config.http)) {
    throw new ChorusError('forbidden', 'Pages of this origin are not allowed. Add it to CORS_ORIGINS.');
  }
  if (version !== undefined && !isKnownVersion(String(version))) {
    const message = `must be one of: ${PROTOCOL_VERSIONS.join(', ')}`;
    const path = 'headers.mcp-protocol-version';
    throw new ChorusError('invalid_request', `${path}: ${message}`, { details: [{ path, message }] });
  }
}

/**
 * Returns whether a page may call. One of the same host may only if the host is an address or `localhost`: any other
 * name may have been pointed here by an attacker.
 */
function isAllowed(
  origin: string,
  host: string,
  { corsOrigins, publicUrl }: { corsOrigins: readonly string[]; publicUrl: string | null },
): boolean {
  if (corsOrigins.includes('*') || corsOrigins.includes(origin)) return true;
  if (!URL.canParse(origin)) return false;
  const page = new URL(origin);
  if (publicUrl !== null && page.origin === new URL(publicUrl).origin) return true;
  const name = page.hostname.replace(/^\[|\]$/g, '');
  return page.host === host && (name === 'localhost' || isIP(name) !== 0);
}
