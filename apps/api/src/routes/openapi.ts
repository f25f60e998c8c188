import { z } from 'zod';
import { defineRoute, type Route } from '../define-route.ts';
import { createOpenApi } from '../docs/openapi.ts';

/** The route that documents all routes, itself among them. */
export function openApiRoute(routes: () => readonly Route[]): Route {
  let text: string | undefined;
  return defineRoute({
    method: 'get',
    path: '/openapi.json',
    at: 'root',
    area: 'operations',
    summary: 'This document',
    needs: 'none',
    answer: z.record(z.string(), z.unknown()),
    handle: async ({ services, response }) => {
      text ??= JSON.stringify(createOpenApi(routes(), services.config.http.publicUrl));
      response.setHeader('Content-Type', 'application/json; charset=utf-8');
      response.setHeader('Cache-Control', 'no-cache');
      response.end(text);
      return undefined;
    },
  });
}
