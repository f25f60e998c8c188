import { ChorusError, type TokenAnswer, type tokenAnswer } from '@chorus/contract';
import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { Services } from '../services.ts';

/** Requests the refresh token in a cookie. Pages of other sites can't send this header. */
export const TOKEN_STORAGE_HEADER = 'X-Token-Storage';

/** Documents the header for routes that support the cookie. */
export const TOKEN_STORAGE_HEADERS = {
  [TOKEN_STORAGE_HEADER]:
    "`cookie`: for pages of this server, such as the console. The refresh token is then set in a cookie that scripts can't read, instead of in the response.",
} as const;

type Part = { request: Request; response: Response; services: Pick<Services, 'config'> };

/**
 * The cookie with a browser's refresh token: HttpOnly and SameSite=Strict. It has no Path, so that browsers
 * send it only to the routes directly under `/auth`, wherever a proxy has put them. It is Secure if the page's
 * origin is.
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
    // Cookies ignore ports, so two platforms on one host need different names.
    const port = origin.port === '' ? '' : `_${origin.port}`;
    this.#name = `${this.#isSecure ? '__Secure-' : ''}chorus_login${port}`;
  }

  /**
   * Returns the cookie of a request that asks for it, or null.
   * @throws {ChorusError} invalid_header; forbidden for a page of another origin
   */
  static of(part: Part): LoginCookie | null {
    const asked = part.request.headers[TOKEN_STORAGE_HEADER.toLowerCase()];
    if (asked === undefined) return null;
    if (asked !== 'cookie')
      throw new ChorusError('invalid_header', `${TOKEN_STORAGE_HEADER} must be cookie, or absent.`, {
        details: [{ path: `headers.${TOKEN_STORAGE_HEADER.toLowerCase()}`, message: 'must be cookie' }],
      });
    return new LoginCookie(part, ownOrigin(part));
  }

  /** The stored refresh token, or null. */
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

/** Moves the refresh token of a response into the cookie, if the request asks for it. */
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
 * Returns the page's origin, which must be ours: same-origin according to the browser, the request's origin, or
 * PUBLIC_URL.
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
  if (!isOwn) throw new ChorusError('forbidden', `${TOKEN_STORAGE_HEADER} is only allowed for pages of this server.`);
  return page;
}
