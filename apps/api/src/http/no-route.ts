import { ChorusError, isRealtimePath } from '@chorus/contract';
import type { RequestHandler } from 'express';
import { type Route, servedPath } from '../define-route.ts';

/** Handles unmatched requests: unknown paths, and methods that a path does not allow. */
export function noRoute(routes: readonly Route[]): RequestHandler {
  const known = routes.map((route) => ({
    pattern: patternOf(servedPath(route)),
    methods: route.method === 'get' && !route.streams ? ['GET', 'HEAD'] : [route.method.toUpperCase()],
  }));
  return (request, response) => {
    const methods = known.filter(({ pattern }) => pattern.test(request.path)).flatMap((route) => route.methods);
    if (methods.length === 0) {
      const socket = isRealtimePath(request.path);
      const path = request.path.slice(0, 200);
      throw new ChorusError(
        'route_not_found',
        socket ? 'Connect with Upgrade: websocket.' : `There is no route at ${path}.`,
      );
    }
    const allowed = [...new Set(methods), 'OPTIONS'].join(', ');
    response.setHeader('Allow', allowed);
    if (request.method === 'OPTIONS') {
      response.statusCode = 204;
      response.end();
      return;
    }
    throw new ChorusError('method_not_allowed', `${request.method} is not allowed here. Allowed: ${allowed}.`);
  };
}

function patternOf(path: string): RegExp {
  const parts = path.split('/').map(partPattern);
  return new RegExp(`^${parts.join('/')}/?$`);
}

function partPattern(part: string): string {
  if (part.startsWith(':')) return '[^/]+';
  return part.startsWith('*') ? '.+' : part.replace(/\W/g, '\\$&');
}
