import { type Accounts, type Credential, presentedCredential, scopeHeaders, verifyPresented } from '@chorus/accounts';
import { ChorusError, keyMay } from '@chorus/contract';
import type { Request, RequestHandler } from 'express';
import { contextOf, type ScopedContext } from './request-context.ts';

/**
 * Verifies the credential of a request.
 * @throws {ChorusError} unauthorized, conflicting_credentials, token_expired, store_unavailable
 */
export async function verifyCredential(
  accounts: Accounts,
  request: Pick<Request, 'headers' | 'rawHeaders'>,
): Promise<Credential> {
  const presented = presentedCredential(request);
  if (presented === null) {
    throw new ChorusError(
      'unauthorized',
      'Authentication is required. Send Authorization: Bearer <token>, or X-API-Key.',
    );
  }
  return verifyPresented(accounts, presented);
}

/** Returns the middleware that authenticates requests. */
export function authenticator(accounts: Accounts): RequestHandler {
  return async (request, response, next) => {
    contextOf(response).credential = await verifyCredential(accounts, request);
    next();
  };
}

/** Returns whether the caller of a long stream still has a valid credential and access to the scope. */
export async function stillHasAccess({ request, services }: ScopedContext): Promise<boolean> {
  try {
    const credential = await verifyCredential(services.accounts, request);
    await services.accounts.resolveScope({ credential, ...scopeHeaders(request.headers) });
    return keyMay(credential.key?.permissions ?? null, 'read');
  } catch (error) {
    // Nothing is sent while the stores are away.
    return (error as { code?: unknown }).code === 'store_unavailable';
  }
}
