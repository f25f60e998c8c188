export interface Endpoint {
  /** Without a trailing slash and without credentials. */
  baseUrl: string;
  /** Credentials that stood in the URL, as a header; `fetch` refuses them inside one. */
  headers: Record<string, string>;
  /** What must never be shown. */
  secrets: (string | null)[];
}

/** Takes credentials out of a configured base URL. */
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
