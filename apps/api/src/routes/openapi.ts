import { z } from 'zod';
import { defineRoute, type Route } from '../define-route.ts';
import { createOpenApi } from '../docs/openapi.ts';
import type { Services } from '../services.ts';

/** The route that documents all routes, itself among them. */
export function openApiRoute(routes: () => readonly Route[]): Route {
  // Of each server in a process: they may be called differently.
  const texts = new WeakMap<Services, string>();
  return defineRoute({
    method: 'get',
    path: '/openapi.json',
    at: 'root',
    area: 'operations',
    summary: 'This document',
    needs: 'none',
    answer: z.record(z.string(), z.unknown()),
    handle: async ({ services, response }) => {
      const text = texts.get(services) ?? JSON.stringify(createOpenApi(routes(), services.config.http.publicUrl));
      texts.set(services, text);
      response.setHeader('Content-Type', 'application/json; charset=utf-8');
      response.setHeader('Cache-Control', 'no-cache');
      response.end(text);
      return undefined;
    },
  });
}
