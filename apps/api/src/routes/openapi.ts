import { boundedRecord } from '@chorus/contract';
import { z } from 'zod';
import { defineRoute, type Route } from '../define-route.ts';
import { createOpenApi } from '../docs/openapi.ts';
import { sendJsonText } from '../http/answer.ts';
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
    answer: boundedRecord(z.string(), z.unknown(), 20),
    handle: async ({ services, response }) => {
      const text = texts.get(services) ?? JSON.stringify(createOpenApi(routes(), services.config.http.publicUrl));
      texts.set(services, text);
      response.setHeader('Cache-Control', 'no-cache');
      sendJsonText(response, 200, text);
      return undefined;
    },
  });
}
