import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Express, RequestHandler, Response } from 'express';
import { contextOf } from '../http/request-context.ts';
import { docsPage } from './docs-page.ts';

const swaggerFolder = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));

/** All files that the page may load. Nothing comes from other hosts. */
const FILES: Record<string, string> = {
  'swagger-ui.css': join(swaggerFolder, 'swagger-ui.css'),
  'swagger-ui-bundle.js': join(swaggerFolder, 'swagger-ui-bundle.js'),
  'favicon.png': join(swaggerFolder, 'favicon-32x32.png'),
  'docs.css': fileURLToPath(new URL('./assets/docs.css', import.meta.url)),
  'docs.js': fileURLToPath(new URL('./assets/docs.js', import.meta.url)),
};

/** Swagger UI embeds its icons as data URLs. Everything else comes from our own files. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Serves `/docs`: the OpenAPI document for people, and the table of errors that error responses link to. */
export function serveDocs(app: Express, publicUrl: string | null): void {
  const base = publicUrl === null ? '' : new URL(publicUrl).pathname.replace(/\/+$/, '');
  const page = docsPage(base);
  const asDocs = (response: Response) => {
    contextOf(response).route = '/docs';
    response.setHeader('Content-Security-Policy', POLICY);
    response.setHeader('Cache-Control', 'no-cache');
  };
  const sendPage: RequestHandler = (_request, response) => {
    asDocs(response);
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.end(page);
  };
  const sendAsset: RequestHandler = (request, response, next) => {
    const name = request.params.file;
    const file = typeof name === 'string' && Object.hasOwn(FILES, name) ? FILES[name] : undefined;
    if (file === undefined) return next();
    asDocs(response);
    response.sendFile(file, { cacheControl: false, dotfiles: 'allow' }, (error) => {
      if (error && !response.headersSent) next(error);
    });
  };
  app.get('/docs', sendPage);
  app.get('/docs/:file', sendAsset);
}
