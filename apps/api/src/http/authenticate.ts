import type { Accounts } from '@chorus/accounts';
import { ChorusError, type User } from '@chorus/contract';
import type { Request, RequestHandler } from 'express';
import passport from 'passport';
import { contextOf } from './request-context.ts';

/** Prefix of API keys, which may also come as the bearer. */
const API_KEY_PREFIX = 'chk_';

/**
 * The bearer's token of a request.
 *
 * @throws {ChorusError} unauthorized when there is none, conflicting_credentials when there are two
 */
function readBearer({ headers, rawHeaders }: Pick<Request, 'headers' | 'rawHeaders'>): string {
  const { authorization } = headers;
  const apiKey = headers['x-api-key'];
  if (authorization !== undefined && apiKey !== undefined) {
    throw new ChorusError('conflicting_credentials', 'Send either Authorization or X-API-Key, not both.');
  }
  // Of two such headers Node shows the first, and the next server on the way might take the other.
  if (rawHeaders.filter((text, index) => index % 2 === 0 && /^authorization$/i.test(text)).length > 1) {
    throw new ChorusError('conflicting_credentials', 'Send one Authorization header.');
  }
  if (apiKey !== undefined) throw new ChorusError('unauthorized', 'This API key is not valid.');
  if (authorization === undefined) {
    throw new ChorusError('unauthorized', 'Authentication is missing: send Authorization: Bearer <token>.');
  }
  const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
  if (token === undefined) throw new ChorusError('unauthorized', 'Authorization must be: Bearer <token>.');
  if (token.startsWith(API_KEY_PREFIX)) throw new ChorusError('unauthorized', 'This API key is not valid.');
  return token;
}

/** Passport makes a copy by prototype for each request, so this holds its parts in plain fields. */
class BearerStrategy extends passport.Strategy {
  override readonly name = 'bearer';
  readonly accounts: Accounts;

  constructor(accounts: Accounts) {
    super();
    this.accounts = accounts;
  }

  override authenticate(request: Request): void {
    // Failures go by `error`, not by passport's `fail`, which would answer by itself and not as the contract says.
    try {
      this.accounts.verifyAccessToken(readBearer(request)).then(
        ({ user }) => this.success(user),
        (error) => this.error(error),
      );
    } catch (error) {
      this.error(error);
    }
  }
}

/** Middleware that finds out whose request this is, for all routes that need a user. */
export function authenticator(accounts: Accounts): RequestHandler[] {
  const authenticator = new passport.Passport();
  authenticator.use(new BearerStrategy(accounts));
  return [
    authenticator.authenticate('bearer', { session: false, assignProperty: 'user', authInfo: false }),
    (request, response, next) => {
      contextOf(response).user = request.user as User;
      next();
    },
  ];
}
