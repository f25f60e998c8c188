import type { Request, Response } from 'express';

const MAX_AGE_S = 600;

/**
 * The cookie that binds a login at the identity provider to the browser that started it. Lax, since the provider sends
 * the browser back from another site.
 */
export class BrowserCookie {
  readonly #request: Request;
  readonly #response: Response;
  readonly #name: string;
  readonly #isSecure: boolean;
  readonly #path: string;

  constructor(request: Request, response: Response, baseUrl: string) {
    const { protocol, port, pathname } = new URL(baseUrl);
    this.#request = request;
    this.#response = response;
    this.#path = `${pathname.replace(/\/$/, '')}/api/v1`;
    this.#isSecure = protocol === 'https:';
    // Cookies ignore ports, so two platforms on one host need different names.
    this.#name = `${this.#isSecure ? '__Secure-' : ''}chorus_sso${port === '' ? '' : `_${port}`}`;
  }

  get value(): string | null {
    for (const part of (this.#request.headers.cookie ?? '').split(';')) {
      const [name, value = ''] = part.trim().split('=', 2);
      if (name === this.#name && value !== '') return value;
    }
    return null;
  }

  set(value: string): void {
    this.#append(value, MAX_AGE_S);
  }

  clear(): void {
    this.#append('', 0);
  }

  #append(value: string, maxAgeS: number): void {
    const secure = this.#isSecure ? '; Secure' : '';
    const rules = `Path=${this.#path}; Max-Age=${maxAgeS}; HttpOnly; SameSite=Lax${secure}`;
    this.#response.append('Set-Cookie', `${this.#name}=${value}; ${rules}`);
  }
}
