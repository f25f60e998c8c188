import {
  type Accounts,
  type Credential,
  type PresentedCredential,
  presentedCredential,
  scopeHeaders,
  verifyPresented,
} from '@chorus/accounts';
import { ChorusError, keyMay } from '@chorus/contract';
import type { Request, RequestHandler } from 'express';
import passport from 'passport';
import { HeaderAPIKeyStrategy } from 'passport-headerapikey';
import { contextOf, type ScopedContext } from './request-context.ts';
import { runInRequestSpan } from './request-span.ts';

/**
 * Refuses a request with no credential, or with several.
 * @throws {ChorusError} unauthorized, conflicting_credentials
 */
const checkCredentials: RequestHandler = (request, _response, next) => {
  presented(request);
  next();
};

function presented(request: Pick<Request, 'headers' | 'rawHeaders'>): PresentedCredential {
  const credential = presentedCredential(request);
  if (credential !== null) return credential;
  throw new ChorusError(
    'unauthorized',
    'Authentication is required. Send Authorization: Bearer <token>, or X-API-Key.',
  );
}

/** Authenticates bearer tokens. Passport clones it by prototype for each request, so it can't have private fields. */
class BearerStrategy extends passport.Strategy {
  override readonly name = 'bearer';
  readonly accounts: Accounts;

  constructor(accounts: Accounts) {
    super();
    this.accounts = accounts;
  }

  override authenticate(request: Request): void {
    if (request.headers.authorization === undefined) {
      this.fail(401); // handled by the other strategy
      return;
    }
    // Report failures with `error`: passport's `fail` would send its own response.
    verifyCredential(this.accounts, request).then(
      (credential) => this.success(credential),
      (error) => this.error(error),
    );
  }
}

/**
 * Verifies the credential of an admitted request again.
 * @throws {ChorusError} like the first check
 */
export async function verifyCredential(
  accounts: Accounts,
  request: Pick<Request, 'headers' | 'rawHeaders'>,
): Promise<Credential> {
  return verifyPresented(accounts, presented(request));
}

function apiKeyStrategy(accounts: Accounts): HeaderAPIKeyStrategy {
  return new HeaderAPIKeyStrategy({ header: 'X-API-Key', prefix: '' }, false, (apiKey, verified) => {
    accounts.verifyApiKey(apiKey).then(
      (credential) => verified(null, credential),
      (error) => verified(error),
    );
  });
}

/** Returns the middleware that authenticates requests. */
export function authenticator(accounts: Accounts): RequestHandler[] {
  const authenticator = new passport.Passport();
  authenticator.use(new BearerStrategy(accounts));
  authenticator.use(apiKeyStrategy(accounts));
  const options = { session: false, assignProperty: 'credential', authInfo: false };
  return [
    checkCredentials,
    authenticator.authenticate(['bearer', 'headerapikey'], options),
    (request, response, next) => {
      const context = contextOf(response);
      context.credential = (request as Request & { credential: Credential }).credential;
      runInRequestSpan(context, next);
    },
  ];
}

/** Returns whether the caller of a long stream still has a valid credential and access to the scope. */
export async function stillHasAccess({ request, services }: ScopedContext): Promise<boolean> {
  try {
    const credential = await verifyCredential(services.accounts, request);
    await services.accounts.resolveScope({ credential, ...scopeHeaders(request.headers) });
    return keyMay(credential.key?.permissions ?? null, 'read');
  } catch (error) {
    // Nothing is sent while the stores are down.
    return (error as { code?: unknown }).code === 'store_unavailable';
  }
}
