import type { Accounts, Credential } from '@chorus/accounts';
import { ChorusError } from '@chorus/contract';
import type { Request, RequestHandler } from 'express';
import passport from 'passport';
import { HeaderAPIKeyStrategy } from 'passport-headerapikey';
import { contextOf } from './request-context.ts';

/**
 * Refuses a request without a credential, or with several: servers on the way might go by another one than we do.
 *
 * @throws {ChorusError} unauthorized, conflicting_credentials
 */
const checkCredentials: RequestHandler = ({ headers, rawHeaders }, _response, next) => {
  const { authorization } = headers;
  const apiKey = headers['x-api-key'];
  if (authorization !== undefined && apiKey !== undefined) {
    throw new ChorusError('conflicting_credentials', 'Send either Authorization or X-API-Key, not both.');
  }
  // Of two Authorization headers Node shows the first; two of other names it joins.
  const names = rawHeaders.filter((text, index) => index % 2 === 0 && /^(authorization|x-api-key)$/i.test(text));
  if (names.length > 1) throw new ChorusError('conflicting_credentials', 'Send one credential.');
  if (authorization === undefined && !apiKey) {
    throw new ChorusError(
      'unauthorized',
      'Authentication is missing: send Authorization: Bearer <token>, or X-API-Key.',
    );
  }
  next();
};

/**
 * The bearer: an access token, or an API key, since OpenAI's clients can send nothing else. Passport makes a copy by prototype for each
 * request, so this holds its parts in plain fields.
 */
class BearerStrategy extends passport.Strategy {
  override readonly name = 'bearer';
  readonly accounts: Accounts;

  constructor(accounts: Accounts) {
    super();
    this.accounts = accounts;
  }

  override authenticate(request: Request): void {
    const { authorization } = request.headers;
    if (authorization === undefined) {
      this.fail(401); // the other strategy's
      return;
    }
    // Failures go by `error`, not by passport's `fail`, which would answer by itself and not as the contract says.
    verifyBearer(this.accounts, authorization).then(
      (credential) => this.success(credential),
      (error) => this.error(error),
    );
  }
}

async function verifyBearer(accounts: Accounts, authorization: string): Promise<Credential> {
  const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
  if (token === undefined) throw new ChorusError('unauthorized', 'Authorization must be: Bearer <token>.');
  return accounts.verify(token);
}

/**
 * The credential of a request that was let in, checked once more.
 *
 * @throws {ChorusError} as for a request that begins
 */
export function verifyCredential(accounts: Accounts, { headers }: Pick<Request, 'headers'>): Promise<Credential> {
  const { authorization } = headers;
  return authorization === undefined
    ? accounts.verifyApiKey(String(headers['x-api-key']))
    : verifyBearer(accounts, authorization);
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
