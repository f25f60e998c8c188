import type { Request } from 'express';

/** Returns whether a client accepts an encoding of the response. */
export function accepts(request: Request, encoding: 'br' | 'gzip'): boolean {
  const [, quality] = new RegExp(`(?:^|[\\s,])${encoding}\\s*(?:;\\s*q=([\\d.]+))?\\s*(?:,|$)`).exec(
    String(request.headers['accept-encoding'] ?? ''),
  ) ?? [null, '0'];
  return quality === undefined || Number(quality) > 0;
}
