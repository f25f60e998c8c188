import type { Config } from '@chorus/config';

/** Where the browser may get content from besides here: the object storage that it is sent to, with the bucket in its path or before its host. */
export function contentSources(blobs: Config['blobs']): string[] {
  const endpoint = blobs.kind === 's3' ? blobs.publicEndpoint : null;
  if (endpoint === null) return ["'self'"];
  const { protocol, host } = new URL(endpoint);
  return ["'self'", `${protocol}//${host}`, `${protocol}//*.${host}`];
}

/** The page's policy. The nonce is for the style sheets that the component library writes; scripts come from files alone. */
export function pagePolicy(nonce: string, sources: readonly string[]): string {
  const content = sources.join(' ');
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    `img-src ${content} blob: data:`,
    `media-src ${content} blob:`,
    `connect-src ${content}`,
    "worker-src 'self'",
    "font-src 'self'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}
