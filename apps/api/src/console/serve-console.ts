import { randomBytes } from 'node:crypto';
import type { Express, Request, RequestHandler } from 'express';
import { permissionsPolicy } from '../http/permissions-policy.ts';
import { contextOf } from '../http/request-context.ts';
import type { Services } from '../services.ts';
import { type BuiltConsole, loadConsole } from './load-console.ts';
import { missingPage } from './missing-page.ts';
import { contentSources, pagePolicy } from './page-policy.ts';

/** What a year is in seconds: the names of these files change with what is in them. */
const FOR_EVER = 'public, max-age=31536000, immutable';

/** What the console is not: an unknown address below these is answered as the API answers it. */
const OTHERS = /^\/(api|docs|openapi\.json|healthz|readyz|metrics|queues)(\/|$)/;

/**
 * Serves the web console at `/`: its page at every address that a browser opens and that is nobody else's, since the console shows its own
 * parts by their paths; and its files. Nothing comes from elsewhere, and the page's policy holds it to that.
 */
export function serveConsole(app: Express, { http: { publicUrl }, blobs }: Services['config']): void {
  const sources = contentSources(blobs);
  const base = publicUrl === null ? '' : new URL(publicUrl).pathname.replace(/\/+$/, '');
  let built = loadConsole();
  const current = () => {
    built ??= loadConsole();
    return built;
  };

  const sendFile: RequestHandler = (request, response, next) => {
    const file = current()?.files.get(request.path.slice(1));
    if (file === undefined) return next();
    contextOf(response).route = '/console';
    const zipped = file.gzipped !== null && acceptsGzip(request);
    response.setHeader('Content-Type', file.type);
    response.setHeader('Cache-Control', file.hashed ? FOR_EVER : 'public, max-age=3600');
    if (file.gzipped !== null) response.setHeader('Vary', 'Accept-Encoding');
    if (zipped) response.setHeader('Content-Encoding', 'gzip');
    response.end(zipped ? file.gzipped : file.bytes);
  };

  const sendPage: RequestHandler = (request, response, next) => {
    if (OTHERS.test(request.path) || !opensPage(request)) return next();
    contextOf(response).route = '/';
    const found = current();
    const nonce = randomBytes(16).toString('base64');
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.setHeader('Content-Security-Policy', pagePolicy(nonce, sources));
    response.setHeader('Permissions-Policy', permissionsPolicy(['microphone']));
    response.statusCode = found === null ? 503 : 200;
    response.end(found === null ? missingPage(base) : fill(found, base, nonce));
  };

  app.get('/{*path}', sendFile, sendPage);
}

/** Whether a browser wants to show it, and not a script or a program to read it. */
function opensPage(request: Request): boolean {
  return request.path === '/' || (request.headers.accept ?? '').includes('text/html');
}

function acceptsGzip(request: Request): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(\.0+)?\s*(,|$))/.test(String(request.headers['accept-encoding'] ?? ''));
}

function fill({ page }: BuiltConsole, base: string, nonce: string): string {
  return page.replace('<base href="/"', () => `<base href="${base}/"`).replaceAll('__NONCE__', () => nonce);
}
