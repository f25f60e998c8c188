export interface Endpoint {
  /** Without trailing slash and credentials. */
  baseUrl: string;
  /** Credentials of the URL as a header, since `fetch` refuses them in a URL. */
  headers: Record<string, string>;
  /** Values that must never be shown. */
  secrets: (string | null)[];
}

/** Moves credentials out of a configured base URL. */
export function toEndpoint(configured: string, apiKey: string | null): Endpoint {
  const url = new URL(configured);
  const { username, password } = url;
  url.username = '';
  url.password = '';
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const basic = Buffer.from(pair).toString('base64');
  return {
    baseUrl: url.href.replace(/\/+$/, ''),
    headers: username === '' && password === '' ? {} : { authorization: `Basic ${basic}` },
    secrets: [apiKey, password === '' ? null : decodeURIComponent(password), url.host],
  };
}
