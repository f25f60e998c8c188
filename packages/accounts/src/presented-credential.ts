import type { IncomingMessage } from 'node:http';
import { ChorusError } from '@chorus/contract';
import type { Accounts } from './accounts-port.ts';
import type { Credential } from './credential.ts';

/**
 * An unverified credential from a request. The bearer may be an API key, because OpenAI clients can send
 * nothing else.
 */
export type PresentedCredential = { bearer: string } | { apiKey: string };

/**
 * Returns the credential in the headers, or null. Conflicting ones are refused, since proxies might pick a
 * different one than we do.
 * @throws {ChorusError} unauthorized for a malformed header; conflicting_credentials
 */
export function presentedCredential({
  headers,
  rawHeaders,
}: Pick<IncomingMessage, 'headers' | 'rawHeaders'>): PresentedCredential | null {
  const { authorization } = headers;
  const apiKey = headers['x-api-key'];
  const bearer = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  if (authorization !== undefined && apiKey !== undefined && bearer !== apiKey)
    throw new ChorusError('conflicting_credentials', 'Send either Authorization or X-API-Key, not both.');
  // Node keeps the first of two Authorization headers and joins other duplicates.
  const names = rawHeaders.filter((text, index) => index % 2 === 0 && /^(authorization|x-api-key)$/i.test(text));
  if (new Set(names.map((name) => name.toLowerCase())).size < names.length)
    throw new ChorusError('conflicting_credentials', 'Send one credential.');
  // The same key in both headers is accepted as a key.
  if (apiKey !== undefined) return apiKey === '' ? null : { apiKey: String(apiKey) };
  if (authorization === undefined) return null;
  if (bearer === undefined) throw new ChorusError('unauthorized', 'Authorization must be: Bearer <token>.');
  return { bearer };
}

/**
 * Authenticates a presented credential.
 * @throws {ChorusError} unauthorized, token_expired, store_unavailable
 */
export function verifyPresented(
  accounts: Pick<Accounts, 'verify' | 'verifyApiKey'>,
  presented: PresentedCredential,
): Promise<Credential> {
  return 'bearer' in presented ? accounts.verify(presented.bearer) : accounts.verifyApiKey(presented.apiKey);
}
