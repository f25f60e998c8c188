import type { IncomingMessage } from 'node:http';
import { ChorusError } from '@chorus/contract';
import type { Accounts } from './accounts.ts';
import type { Credential } from './credential.ts';

/** A credential as a request brings it, unchecked. The bearer is an access token, or an API key, since OpenAI's clients can send nothing else. */
export type PresentedCredential = { bearer: string } | { apiKey: string };

/**
 * The credential in the headers of a request; null: there is none. Different ones are refused: servers on the way might go by another one than we do.
 *
 * @throws {ChorusError} unauthorized for a header of another form, conflicting_credentials
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
  // Of two Authorization headers Node shows the first; two of other names it joins.
  const names = rawHeaders.filter((text, index) => index % 2 === 0 && /^(authorization|x-api-key)$/i.test(text));
  if (new Set(names.map((name) => name.toLowerCase())).size < names.length)
    throw new ChorusError('conflicting_credentials', 'Send one credential.');
  // One key in both headers is good where either would be: as a key.
  if (apiKey !== undefined) return apiKey === '' ? null : { apiKey: String(apiKey) };
  if (authorization === undefined) return null;
  if (bearer === undefined) throw new ChorusError('unauthorized', 'Authorization must be: Bearer <token>.');
  return { bearer };
}

/** What a presented credential stands for. @throws {ChorusError} unauthorized, token_expired, store_unavailable */
export function verifyPresented(
  accounts: Pick<Accounts, 'verify' | 'verifyApiKey'>,
  presented: PresentedCredential,
): Promise<Credential> {
  return 'bearer' in presented ? accounts.verify(presented.bearer) : accounts.verifyApiKey(presented.apiKey);
}
