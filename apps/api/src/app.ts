import { ConfigError } from '@chorus/runtime/config';
import express from 'express';
import { serveConsole } from './console/serve-console.ts';
import { servedPath } from './define-route.ts';
import { serveDocs } from './docs/serve-docs.ts';
import { unlessSigned } from './http/admit.ts';
import { answerError } from './http/answer-error.ts';
import { authenticator } from './http/authenticate.ts';
import { beginRequest } from './http/begin-request.ts';
import { noRoute } from './http/no-route.ts';
import { noteRoute, serveRoute } from './http/serve-route.ts';
import { routes } from './routes/index.ts';
import type { Services } from './services.ts';

/** Creates the HTTP application. It neither listens nor starts anything. */
export function createApp(services: Services): express.Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.set('query parser', 'simple');
  trustProxy(app, services.config.http.trustProxy);

  app.use(beginRequest(services));
  const authenticate = authenticator(services.accounts);
  for (const route of routes) {
    app[route.method](
      servedPath(route),
      noteRoute(route),
      ...(route.needs === 'none' ? [] : route.signed === undefined ? authenticate : authenticate.map(unlessSigned)),
      serveRoute(route),
    );
  }
  serveDocs(app, services.config.http.publicUrl);
  serveConsole(app, services.config);
  app.use(noRoute(routes));
  app.use(answerError);
  return app;
}

/** Returns a test for addresses of trusted proxies, as `TRUST_PROXY` sets them. Undefined: no proxy. */
export function proxyTest(app: express.Express): ((address: string) => boolean) | undefined {
  if (app.get('trust proxy') === false) return undefined;
  const trusts: (address: string, hop: number) => boolean = app.get('trust proxy fn');
  return (address) => trusts(address, 0);
}

function trustProxy(app: express.Express, value: boolean | number | string): void {
  try {
    app.set('trust proxy', value);
  } catch {
    throw new ConfigError(['TRUST_PROXY must be true, false, a number of proxies, or a list of their addresses']);
  }
}
