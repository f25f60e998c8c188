import {
  type Accounts,
  type Credential,
  type PresentedCredential,
  presentedCredential,
  verifyPresented,
} from '@chorus/accounts';
import { ChorusError } from '@chorus/contract';
import type { Request, RequestHandler } from 'express';
import passport from 'passport';
import { HeaderAPIKeyStrategy } from 'passport-headerapikey';
import { contextOf } from './request-context.ts';

/**
 * Refuses a request without a credential, or with several.
 *
 * @throws {ChorusError} unauthorized, conflicting_credentials
 */
const checkCredentials: RequestHandler = (request, _response, next) => {
  presented(request);
  next();
};

function presented(request: Pick<Request, 'headers' | 'rawHeaders'>): PresentedCredential {
  const credential = presentedCredential(request);
  if (credential !== null) return credential;
  throw new ChorusError('unauthorized', 'Authentication is missing: send Authorization: Bearer <token>, or X-API-Key.');
}

/** The bearer. Passport makes a copy by prototype for each request, so this holds its parts in plain fields. */
class BearerStrategy extends passport.Strategy {
  override readonly name = 'bearer';
  readonly accounts: Accounts;

  constructor(accounts: Accounts) {
    super();
    this.accounts = accounts;
  }

  override authenticate(request: Request): void {
    if (request.headers.authorization === undefined) {
      this.fail(401); // the other strategy's
      return;
    }
    // Failures go by `error`, not by passport's `fail`, which would answer by itself and not as the contract says.
    verifyCredential(this.accounts, request).then(
      (credential) => this.success(credential),
      (error) => this.error(error),
    );
  }
}

/**
 * The credential of a request that was let in, checked once more.
 *
 * @throws {ChorusError} as for a request that begins
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

/** Middleware that finds out whose request this is, for all routes that need a user. */
export function authenticator(accounts: Accounts): RequestHandler[] {
  const authenticator = new passport.Passport();
  authenticator.use(new BearerStrategy(accounts));
  authenticator.use(apiKeyStrategy(accounts));
  const options = { session: false, assignProperty: 'credential', authInfo: false };
  return [
    checkCredentials,
    authenticator.authenticate(['bearer', 'headerapikey'], options),
    (request, response, next) => {
      contextOf(response).credential = (request as Request & { credential: Credential }).credential;
      next();
    },
  ];
}
