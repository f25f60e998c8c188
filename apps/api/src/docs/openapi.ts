import { ACTIONS, ERRORS, idSchema, streamFrame } from '@chorus/contract';
import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiOverride,
  type ZodOpenApiPathsObject,
} from 'zod-openapi';
import { AREAS, type FileBody, mayCarryBody, type ParameterKind, type Route, servedPath } from '../define-route.ts';
import { FILE_PART } from '../http/read-form.ts';
import { errorResponseName, errorResponses } from './error-responses.ts';
import { headerParameters, SCOPE_HEADERS } from './header-parameters.ts';
import { NAMED_SCHEMAS } from './named-schemas.ts';

/** Of every answer to a known caller. */
const RATE_LIMIT_HEADERS = {
  'RateLimit-Policy': 'The limits that the request counted against: `q` requests in `w` seconds.',
  RateLimit: 'How they stand: `r` requests are left; in `t` seconds all of them are again.',
};

const INTRODUCTION = `Chat, voice, image, video, OCR and your own documents behind one HTTP API.

Send \`Authorization: Bearer <access token>\` (from \`POST /api/v1/auth/login\`) or \`X-API-Key\`, and \`X-Scope-Type\`. Every success is
status 200; every error has the shape of \`Error\`: branch on its \`code\`. Every answer carries \`X-Request-ID\`.

A WebSocket at \`/api/v1/voice/ws\` speaks the event protocol of OpenAI's Realtime API (sound as base64 of 16 bits at 24 kHz; binary frames are sound, too), and with
\`?EIO=4&transport=websocket\` that of socket.io, with the same events by their names. One comes in as to a route that executes: by the same headers, or by
\`?ticket=\` (\`POST /api/v1/voice/tickets\`) or the subprotocol \`openai-insecure-api-key.<token>\`, with \`scope_type\`, \`workspace_id\` and \`agent_id\` in the query where headers can't be set;
\`model\`, \`voice\` and \`session_id\` (to go on with a session) stand there, too. Who is refused gets the same errors, before the protocol changes. It closes with 1001 when the process
stops and 1013 when what it tells is not read (come again with the same session), 1007 to 1009 when what comes is too much or can't be read, 4001 when the credential is good no more.`;

/** The OpenAPI 3.1 document of declared routes. */
export function createOpenApi(routes: readonly Route[], publicUrl: string | null) {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    const path = servedPath(route).replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method]: operationOf(route) };
  }
  return createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Chorus',
        version: '1',
        description: INTRODUCTION,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: publicUrl ?? '/' }],
      tags: Object.entries(AREAS).map(([name, description]) => ({ name, description })),
      paths,
      components: {
        schemas: NAMED_SCHEMAS,
        parameters: SCOPE_HEADERS,
        responses: errorResponses(),
        securitySchemes: {
          bearer: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'JWT',
            description: 'An access token of `POST /auth/login`, or an API key.',
          },
          apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'A key of `POST /api-keys`.' },
        },
      },
    },
    { override: tidy },
  );
}

/** Takes away what is true of zod but not of the interface. */
const tidy: ZodOpenApiOverride = ({ jsonSchema, io }) => {
  // Answers gain fields with time: a client must not refuse those that it doesn't know.
  if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
};

function operationOf(route: Route): ZodOpenApiOperationObject {
  const success = { schema: route.answer };
  const path = route.params && z.object(Object.fromEntries(Object.entries(route.params).map(idParameter)));
  return {
    operationId: operationId(route),
    tags: [route.area],
    summary: route.summary,
    description: [route.description ?? '', rightsOf(route)].filter((text) => text !== '').join('\n\n'),
    security: securityOf(route),
    parameters: headerParameters(route),
    requestParams: {
      ...(path ? { path } : {}),
      ...(route.query ? { query: route.query as z.ZodObject } : {}),
    },
    ...requestBodyOf(route),
    responses: {
      200: {
        description: 'Success',
        headers: answerHeaders(route),
        content: {
          ...(route.streams ? { 'text/event-stream': { schema: streamFrame } } : {}),
          [route.answerType ?? 'application/json']: success,
        },
      },
      ...Object.fromEntries(
        Object.entries(route.alsoAnswers ?? {}).map(([status, description]) => [
          status,
          { description, ...(Number(status) >= 400 && { content: { 'application/json': success } }) },
        ]),
      ),
      ...Object.fromEntries(
        statusesOf(route).map((status) => [status, { $ref: `#/components/responses/${errorResponseName(status)}` }]),
      ),
    },
  };
}

function requestBodyOf({ body, file, upload }: Route): Pick<ZodOpenApiOperationObject, 'requestBody'> {
  const content = {
    ...(body && file?.as === undefined && file !== undefined
      ? {}
      : body
        ? { 'application/json': { schema: body } }
        : {}),
    ...(file ? { 'multipart/form-data': { schema: formOf(body, file) } } : {}),
    ...Object.fromEntries(Object.entries(upload ?? {}).map(([type, schema]) => [type, { schema }])),
  };
  if (Object.keys(content).length === 0) return {};
  const required = file !== undefined || upload !== undefined || !body?.safeParse({}).success;
  return { requestBody: { required, content } };
}

/** A form: the files, and the body's fields but the one that the file stands for. */
function formOf(body: z.ZodType | undefined, { as, most }: FileBody): z.ZodType {
  const fields = body instanceof z.ZodObject ? Object.entries(body.shape).filter(([name]) => name !== as) : [];
  const bytes = z.string().meta({ format: 'binary', description: 'The bytes, sent with a name' });
  const files = most === undefined ? bytes : z.array(bytes).min(1).max(most);
  return z.strictObject({ [FILE_PART]: files, ...Object.fromEntries(fields) });
}

function answerHeaders(route: Route) {
  const named: Record<string, string> = {
    'X-Request-ID': 'Finds the request in the logs.',
    ...(route.needs === 'none' ? {} : RATE_LIMIT_HEADERS),
    ...(route.headers?.Prefer !== undefined && {
      'Preference-Applied': 'What of `Prefer` was heeded, where anything was.',
    }),
    ...route.answerHeaders,
  };
  return Object.fromEntries(
    Object.entries(named).map(([name, description]) => [name, { description, schema: { type: 'string' as const } }]),
  );
}

/** Either credential, but for what no key may do. */
function securityOf({ needs, signed }: Route): Record<string, string[]>[] {
  if (needs === 'none') return [];
  // Or by the signature in the query.
  if (signed !== undefined) return [{ bearer: [] }, { apiKey: [] }, {}];
  return ACTIONS[needs].permission === null ? [{ bearer: [] }] : [{ bearer: [] }, { apiKey: [] }];
}

/** What a caller needs, in words. */
function rightsOf({ needs }: Route): string {
  if (needs === 'none') return '';
  const { role, permission } = ACTIONS[needs];
  const key = permission === null ? 'no API key' : `an API key with \`${permission}\``;
  return `Needs the ${needs === 'operate' ? 'flag operator' : `role ${role}`}; ${key} may.`;
}

/** Errors that a route can answer with, after what it declares. */
function statusesOf(route: Route): number[] {
  const scoped = route.needs !== 'none';
  const statuses = new Set<number>([ERRORS.internal_error.status]);
  if (route.at === 'root') return [...statuses];
  statuses.add(ERRORS.invalid_scope.status).add(ERRORS.rate_limited.status).add(ERRORS.store_unavailable.status);
  if (scoped || route.area === 'auth') statuses.add(ERRORS.unauthorized.status);
  if (scoped) statuses.add(ERRORS.forbidden.status);
  if (mayCarryBody(route) || route.query) statuses.add(ERRORS.invalid_request.status);
  if (mayCarryBody(route)) statuses.add(ERRORS.payload_too_large.status).add(ERRORS.unsupported_media_type.status);
  if (route.params) statuses.add(ERRORS.not_found.status);
  if (scoped && route.method !== 'get') statuses.add(ERRORS.conflict.status);
  for (const code of route.refuses ?? []) statuses.add(ERRORS[code].status);
  return [...statuses].sort((one, other) => one - other);
}

function idParameter([name, kind]: [string, ParameterKind]): [string, z.ZodType] {
  return [name, (kind === 'workspace' ? z.uuid() : idSchema(kind)).meta({ description: `Id of the ${kind}` })];
}

/** `GET /sessions/:session_id/messages` → `getSessionsBySessionIdMessages`. */
function operationId(route: Route): string {
  const words = route.path.replace(/:/g, 'by_').split(/[^A-Za-z0-9]+/);
  return route.method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}
