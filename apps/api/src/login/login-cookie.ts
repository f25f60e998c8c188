import { ChorusError, type TokenAnswer, type tokenAnswer } from '@chorus/contract';
import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { Services } from '../services.ts';

/** Asks for the refresh token in a cookie. No page of another site can send it. */
export const TOKEN_STORAGE_HEADER = 'X-Token-Storage';

/** For the documentation of routes that know the cookie. */
export const TOKEN_STORAGE_HEADERS = {
  [TOKEN_STORAGE_HEADER]:
    '`cookie`: for pages of this server, such as the console. The refresh token is then not in the answer but in a cookie that scripts cannot read',
} as const;

type Part = { request: Request; response: Response; services: Pick<Services, 'config'> };

/**
 * The cookie that holds a browser's refresh token: HttpOnly and SameSite=Strict, and without a Path, so that it goes to the routes directly under `/auth` only,
 * wherever a proxy has put them. Whether it is Secure follows from the page's origin.
 */
export class LoginCookie {
  readonly #request: Request;
  readonly #response: Response;
  readonly #name: string;
  readonly #isSecure: boolean;

  private constructor({ request, response }: Part, origin: URL) {
    this.#request = request;
    this.#response = response;
    this.#isSecure = origin.protocol === 'https:';
    // Cookies do not tell ports apart: two platforms on one machine must not overwrite each other's.
    const port = origin.port === '' ? '' : `_${origin.port}`;
    this.#name = `${this.#isSecure ? '__Secure-' : ''}chorus_login${port}`;
  }

  /**
   * The cookie of a request that asks for it; null: the request does not.
   *
   * @throws {ChorusError} invalid_header; forbidden for a page of another origin
   */
  static of(part: Part): LoginCookie | null {
    const asked = part.request.headers[TOKEN_STORAGE_HEADER.toLowerCase()];
    if (asked === undefined) return null;
    if (asked !== 'cookie')
      throw new ChorusError('invalid_header', `${TOKEN_STORAGE_HEADER} must be cookie, or left out.`, {
        details: [{ path: `headers.${TOKEN_STORAGE_HEADER.toLowerCase()}`, message: 'must be cookie' }],
      });
    return new LoginCookie(part, ownOrigin(part));
  }

  /** The refresh token in it; null: there is none. */
  get token(): string | null {
    for (const part of (this.#request.headers.cookie ?? '').split(';')) {
      const [name, value = ''] = part.trim().split('=', 2);
      if (name === this.#name && value !== '') return value;
    }
    return null;
  }

  set(token: string, maxAgeS: number): void {
    this.#append(token, maxAgeS);
  }

  clear(): void {
    this.#append('', 0);
  }

  #append(value: string, maxAgeS: number): void {
    const secure = this.#isSecure ? '; Secure' : '';
    this.#response.append(
      'Set-Cookie',
      `${this.#name}=${value}; Max-Age=${maxAgeS}; HttpOnly; SameSite=Strict${secure}`,
    );
  }
}

/** The answer with its refresh token moved into the cookie, where one is asked for. */
export function storeToken(
  cookie: LoginCookie | null,
  answer: TokenAnswer,
  { config }: Pick<Services, 'config'>,
): z.infer<typeof tokenAnswer> {
  if (cookie === null) return answer;
  const { refresh_token, ...rest } = answer;
  cookie.set(refresh_token, config.auth.refreshTokenTtlS);
  return rest;
}

/**
 * The origin of the page that asks, which must be our own: the browser says so itself, or the page's origin is where the request went, or PUBLIC_URL.
 *
 * @throws {ChorusError} forbidden
 */
function ownOrigin({ request, services }: Part): URL {
  const { origin, host = '' } = request.headers;
  const site = request.headers['sec-fetch-site'];
  const { publicUrl } = services.config.http;
  const page = origin !== undefined && URL.canParse(origin) ? new URL(origin) : null;
  const isOwn =
    page !== null &&
    (site === undefined
      ? page.host === host || (publicUrl !== null && page.origin === new URL(publicUrl).origin)
      : site === 'same-origin');
  if (!isOwn) throw new ChorusError('forbidden', `${TOKEN_STORAGE_HEADER} is for pages of this server only.`);
  return page;
}
