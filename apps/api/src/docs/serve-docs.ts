import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Express, RequestHandler, Response } from 'express';
import { accepts } from '../http/accepts.ts';
import { contextOf } from '../http/request-context.ts';
import { referencePage } from './reference-page.ts';
import type { Site } from './site/load-pages.ts';

const swaggerFolder = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));

/** All files that the pages may load. Nothing comes from other hosts. */
const FILES: Record<string, string> = {
  'swagger-ui.css': join(swaggerFolder, 'swagger-ui.css'),
  'swagger-ui-bundle.js': join(swaggerFolder, 'swagger-ui-bundle.js'),
  'favicon.png': join(swaggerFolder, 'favicon-32x32.png'),
  'reference.css': fileURLToPath(new URL('./assets/reference.css', import.meta.url)),
  'reference.js': fileURLToPath(new URL('./assets/reference.js', import.meta.url)),
  'site.css': fileURLToPath(new URL('./assets/site.css', import.meta.url)),
  'site.js': fileURLToPath(new URL('./assets/site.js', import.meta.url)),
};

/** Swagger UI embeds its icons as data URLs. Everything else comes from our own files. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Serves the documentation: its pages at `/docs`, and the API reference with the table of errors at `/docs/api`.
 * Pages are rendered, and their renderer is loaded, at the first request.
 */
export function serveDocs(app: Express, publicUrl: string | null): void {
  const base = publicUrl === null ? '' : new URL(publicUrl).pathname.replace(/\/+$/, '');
  const reference = referencePage(base);
  let site: Site | undefined;
  let index: { plain: Buffer; gzipped: Buffer } | undefined;
  const loaded = async () => {
    const { loadSite } = await import('./site/load-pages.ts');
    site ??= loadSite(base);
    return site;
  };

  const asDocs = (response: Response) => {
    contextOf(response).route = '/docs';
    response.setHeader('Content-Security-Policy', POLICY);
    response.setHeader('Cache-Control', 'no-cache');
  };
  const sendHtml = (response: Response, html: string) => {
    asDocs(response);
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.end(html);
  };

  const sendPage: RequestHandler = async (request, response, next) => {
    const all = await loaded();
    const found = all.pages.get(request.path.slice('/docs/'.length));
    if (found === undefined) return next();
    const { sitePage } = await import('./site/site-page.ts');
    sendHtml(response, sitePage(all, found, base));
  };
  const sendIndex: RequestHandler = async (request, response) => {
    if (index === undefined) {
      const { pages } = await loaded();
      const plain = Buffer.from(JSON.stringify([...pages.values()].flatMap(({ sections }) => sections)));
      index = { plain, gzipped: gzipSync(plain) };
    }
    asDocs(response);
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    response.setHeader('Vary', 'Accept-Encoding');
    const zipped = accepts(request, 'gzip');
    if (zipped) response.setHeader('Content-Encoding', 'gzip');
    response.end(zipped ? index.gzipped : index.plain);
  };
  const sendFile: RequestHandler = (request, response, next) => {
    const name = request.path.slice('/docs/'.length);
    const file = Object.hasOwn(FILES, name) ? FILES[name] : undefined;
    if (file === undefined) return next();
    asDocs(response);
    response.sendFile(file, { cacheControl: false, dotfiles: 'allow' }, (error) => {
      if (error && !response.headersSent) next(error);
    });
  };

  app.get('/docs/api', (_request, response) => sendHtml(response, reference));
  app.get('/docs/search.json', sendIndex);
  app.get('/docs{/*path}', sendFile, sendPage);
}
