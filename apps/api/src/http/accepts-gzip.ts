import type { Request } from 'express';

export function acceptsGzip(request: Request): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(\.0+)?\s*(,|$))/.test(String(request.headers['accept-encoding'] ?? ''));
}
