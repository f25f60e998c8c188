import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Config } from '@chorus/runtime/config';
import type { Express, Request, RequestHandler } from 'express';
import { accepts } from '../http/accepts.ts';
import { permissionsPolicy } from '../http/begin-request.ts';
import { contextOf } from '../http/request-context.ts';
import type { Services } from '../services.ts';
import { type BuiltConsole, loadConsole } from './load-console.ts';

/** For files with a hash in their name. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** The page that shows HTML of answers, in a frame of the console. */
const SANDBOX = '/sandbox.html';

/** Its scripts run in an opaque origin, and may not connect to anything, not even to this server. */
const SANDBOX_POLICY = [
  'sandbox allow-scripts',
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  'img-src data: blob:',
  'media-src data: blob:',
  'font-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');

/** Paths that belong to the API. It answers unknown addresses below them. */
const API_PATHS = /^\/(api|openai|anthropic|docs|openapi\.json|healthz|readyz|metrics)(\/|$)/;

/** Browsers ask for it where a page names no icon, such as one of JSON. */
const ICON = { path: '/favicon.ico', file: 'icons/icon-192.png' };

/** Nothing here is for search engines. */
const ROBOTS = 'User-agent: *\nDisallow: /\n';

/** Pages that anyone may open and link to. */
const SHARED_PAGES = /^\/share(\/|$)/;

/**
 * Serves the web console at `/`. Every address that a browser opens and that is not the API's gets the page,
 * since the console has client-side routes. The page's policy blocks content from elsewhere.
 */
export function serveConsole(app: Express, { http: { publicUrl }, blobs }: Services['config']): void {
  const sources = contentSources(blobs);
  const base = publicUrl === null ? '' : new URL(publicUrl).pathname.replace(/\/+$/, '');

  const sendFile: RequestHandler = (request, response, next) => {
    const file = loadConsole()?.files.get(request.path === ICON.path ? ICON.file : request.path.slice(1));
    if (file === undefined) return next();
    contextOf(response).route = '/console';
    const compressed = file.compressed.find(({ encoding }) => accepts(request, encoding));
    response.setHeader('Content-Type', file.type);
    response.setHeader('Cache-Control', file.hashed ? IMMUTABLE : 'public, max-age=3600');
    if (request.path === SANDBOX) response.setHeader('Content-Security-Policy', SANDBOX_POLICY);
    if (file.compressed.length > 0) response.setHeader('Vary', 'Accept-Encoding');
    if (compressed) response.setHeader('Content-Encoding', compressed.encoding);
    response.end(compressed?.bytes ?? file.bytes);
  };

  const sendPage: RequestHandler = (request, response, next) => {
    if (API_PATHS.test(request.path) || !opensPage(request)) return next();
    contextOf(response).route = '/';
    const found = loadConsole();
    const nonce = randomBytes(16).toString('base64');
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.setHeader('Content-Security-Policy', pagePolicy(nonce, sources));
    response.setHeader('Permissions-Policy', permissionsPolicy(['microphone']));
    if (SHARED_PAGES.test(request.path)) response.setHeader('X-Robots-Tag', 'noindex');
    response.statusCode = found === null ? 503 : 200;
    const page = found === null ? missingPage(base) : fill(found, base, nonce);
    response.setHeader('Vary', 'Accept-Encoding');
    if (!accepts(request, 'gzip')) return response.end(page);
    response.setHeader('Content-Encoding', 'gzip');
    response.end(gzipSync(page));
  };

  const sendRobots: RequestHandler = (request, response, next) => {
    if (request.path !== '/robots.txt') return next();
    contextOf(response).route = '/console';
    response.setHeader('Content-Type', 'text/plain; charset=utf-8');
    response.setHeader('Cache-Control', 'public, max-age=3600');
    response.end(ROBOTS);
  };

  app.get('/{*path}', sendRobots, sendFile, sendPage);
}

/** Returns whether a browser navigates to the address, as opposed to a script reading it. */
function opensPage(request: Request): boolean {
  return request.path === '/' || (request.headers.accept ?? '').includes('text/html');
}

function fill({ page }: BuiltConsole, base: string, nonce: string): string {
  return page.replace('<base href="/"', () => `<base href="${base}/"`).replaceAll('__NONCE__', () => nonce);
}

/**
 * Returns the page to show when the console was not built.
 * @param base path under which a proxy serves the API, without a trailing slash
 */
function missingPage(base: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Chorus</title>
</head>
<body>
<h1>Chorus is running, but its web console is not built</h1>
<p>Run <code>npm start</code>, which builds it, or run <code>node apps/console/build.mjs</code> in the platform's folder. Then reload this page.</p>
<p>The HTTP API can do everything that the console can: <a href="${base}/docs">read its documentation</a>.</p>
</body>
</html>
`;
}

/** Returns what the page may load content from: our own origin, and our bucket of the public object storage. */
function contentSources(blobs: Config['blobs']): string[] {
  if (blobs.kind !== 's3' || blobs.publicEndpoint === null) return ["'self'"];
  const { protocol, host, pathname } = new URL(blobs.publicEndpoint);
  const byPath = `${protocol}//${host}${pathname.replace(/\/$/, '')}/${blobs.bucket}/`;
  // Buckets whose names have dots are addressed by path, even if others have host names.
  return blobs.forcePathStyle ? ["'self'", byPath] : ["'self'", `${protocol}//${blobs.bucket}.${host}`, byPath];
}

/** Returns the page's content security policy. Only the component library's style sheets need the nonce. */
function pagePolicy(nonce: string, sources: readonly string[]): string {
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
    "manifest-src 'self'",
    // The sandbox.
    "frame-src 'self'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}
