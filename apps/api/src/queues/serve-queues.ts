import { OPERATOR_SESSION_MS } from '@chorus/accounts';
import { ChorusError } from '@chorus/contract';
import type { Express, Request, RequestHandler, Router } from 'express';
import { contextOf } from '../http/request-context.ts';
import type { Services } from '../services.ts';

const COOKIE = 'chorus_queues';

/** Everything comes from our own files, except one style sheet that the view's scripts insert. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'sha256-r2N1TB/gHbBtBZFKg7ejmq1acVSREzucTAEw6ga4hoU='; img-src 'self' data:; connect-src 'self'; worker-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'";

/**
 * Serves `/queues`, a read-only view of the queues for operators. Browsers can't send our headers when they
 * open a page, so a ticket becomes a session cookie: HttpOnly, SameSite, and limited to this path.
 */
export function serveQueues(app: Express, services: Pick<Services, 'accounts' | 'config' | 'dispatcher'>): void {
  const { publicUrl } = services.config.http;
  const base = publicUrl === null ? '' : new URL(publicUrl).pathname.replace(/\/+$/, '');
  const isSecure = publicUrl?.startsWith('https:') ?? false;

  const begin: RequestHandler = (request, response, next) => {
    contextOf(response).route = '/queues';
    response.setHeader('Content-Security-Policy', POLICY);
    if (request.method === 'GET' || request.method === 'HEAD') return next();
    response.setHeader('Allow', 'GET, HEAD');
    throw new ChorusError('method_not_allowed', 'The queues are read-only.');
  };

  const enter: RequestHandler = async (request, response) => {
    const { ticket } = request.query;
    const session = await services.accounts.operatorSessions.open(typeof ticket === 'string' ? ticket : '');
    response.cookie(COOKIE, session, {
      path: `${base}/queues`,
      httpOnly: true,
      sameSite: 'strict',
      secure: isSecure || request.secure,
      maxAge: OPERATOR_SESSION_MS,
    });
    response.redirect(303, `${base}/queues/`);
  };

  const admit: RequestHandler = async (request, response, next) => {
    try {
      contextOf(response).credential = await services.accounts.operatorSessions.verify(sessionOf(request));
    } catch (error) {
      if (!(error instanceof ChorusError && error.status === 401) || request.accepts(['json', 'html']) !== 'html')
        throw error;
      response.status(401).type('html').end(closedPage(base));
      return;
    }
    // The page's URLs are relative.
    if (request.originalUrl === '/queues') return response.redirect(303, `${base}/queues/`);
    next();
  };

  let board: Promise<Router> | undefined;
  const openBoard = async (): Promise<Router> => {
    const { createBoard } = await import('./board.ts');
    return createBoard(services.dispatcher, `${base}/queues/`);
  };
  const show: RequestHandler = async (request, response, next) => {
    board ??= openBoard().catch((error) => {
      board = undefined; // tries again at the next request
      throw error;
    });
    (await board)(request, response, next);
  };

  app.use('/queues', begin);
  app.use('/queues/enter', enter);
  app.use('/queues', admit, show, notFound);
}

const notFound: RequestHandler = (request) => {
  throw new ChorusError('route_not_found', `There is no route at ${request.originalUrl.slice(0, 200)}.`);
};

function sessionOf({ headers: { cookie = '' } }: Request): string {
  for (const part of cookie.split(';')) {
    const [name, value = ''] = part.trim().split('=', 2);
    if (name === COOKIE) return value;
  }
  throw new ChorusError(
    'unauthorized',
    'Open the queues from the console, or with a ticket from POST /queues/tickets.',
  );
}

/**
 * Returns the page for browsers without a valid session.
 * @param base path under which a proxy serves the API, without a trailing slash
 */
function closedPage(base: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Chorus queues</title>
</head>
<body>
<h1>No access to the queues</h1>
<p>Operators can open them from <a href="${base}/jobs">the console</a>. Access lasts half an hour.</p>
</body>
</html>
`;
}
