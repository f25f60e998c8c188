import { ACTIONS, ERRORS, type ErrorCode, streamFrame } from '@chorus/contract';
import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiOverride,
  type ZodOpenApiPathsObject,
} from 'zod-openapi';
import { AREAS, type FileBody, mayCarryBody, type ParameterKind, type Route, servedPath } from '../define-route.ts';
import { parameterSchema } from '../http/parameter-kinds.ts';
import { FILE_PART } from '../http/read-form.ts';
import { errorResponseName, errorResponses, statusAt } from './error-responses.ts';
import { describeFields } from './field-descriptions.ts';
import { headerParameters, SCOPE_HEADERS } from './header-parameters.ts';
import { NAMED_SCHEMAS } from './named-schemas.ts';
import { REQUEST_EXAMPLES } from './request-examples.ts';

/** Sent with every response to an authenticated caller. */
const RATE_LIMIT_HEADERS = {
  'RateLimit-Policy': 'The limits that apply to this request: `q` requests in `w` seconds.',
  RateLimit: 'Remaining quota per limit: `r` requests, reset in `t` seconds.',
};

const INTRODUCTION = `Chat, voice, image, video, OCR and your own documents behind one HTTP API.

Send \`Authorization: Bearer <access token>\` (from \`POST /api/v1/auth/login\`) or \`X-API-Key\`, and \`X-Scope-Type\`. Successful
responses have status 200. Errors have the shape of \`Error\`: branch on \`code\`. Every response has an \`X-Request-ID\`.

Programs that take a base URL and a key use \`/openai/v1\`, with OpenAI's shapes, also for errors. There the key decides the scope.
Anthropic's SDKs and Claude Code use \`/anthropic\`, in the same way.

Programs whose models use tools connect to the MCP server at \`/mcp\`.

The WebSocket at \`/api/v1/voice/ws\` (and \`/openai/v1/realtime\`, without scope headers) speaks the event protocol of OpenAI's Realtime API. Audio is base64-encoded 16-bit PCM at 24 kHz; binary frames are audio, too. With
\`?EIO=4&transport=websocket\` it speaks socket.io, with the same events. Authenticate with the same headers as for HTTP,
with \`?ticket=\` (\`POST /api/v1/voice/tickets\`), or with the subprotocol \`openai-insecure-api-key.<token>\`. Clients that can't set headers send
\`scope_type\`, \`workspace_id\` and \`agent_id\` in the query, which also takes \`model\`, \`voice\`, and \`session_id\` to continue a session.
A refused connection gets an HTTP error before the upgrade. Close codes: 1001 when the process stops, 1013 when you read too slowly (for both, reconnect with the same session),
1007 to 1009 for messages that are invalid or too large, 4001 when the credential is no longer valid.`;

/** Creates the OpenAPI 3.1 document for a list of routes. */
export function createOpenApi(routes: readonly Route[], publicUrl: string | null) {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    const path = servedPath(route).replace(/[:*](\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method]: operationOf(route) };
  }
  const document = createDocument(
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
            description: 'An access token from `POST /auth/login`, or an API key.',
          },
          apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key from `POST /api-keys`.' },
        },
      },
    },
    { override: tidy },
  );
  describeFields(document);
  return document;
}

/** Removes details that describe zod, not the API. */
const tidy: ZodOpenApiOverride = ({ jsonSchema, io }) => {
  // Responses gain fields over time, so clients must accept unknown ones.
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
          ...(route.streams
            ? { 'text/event-stream': { schema: route.streams === true ? streamFrame : route.streams } }
            : {}),
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
        statusesOf(route).map((status) => [
          status,
          { $ref: `#/components/responses/${errorResponseName(route, status)}` },
        ]),
      ),
    },
  };
}

function requestBodyOf(route: Route): Pick<ZodOpenApiOperationObject, 'requestBody'> {
  const { body, file, upload } = route;
  const example = REQUEST_EXAMPLES[exampleName(route)];
  const content = {
    ...(body && file?.as === undefined && file !== undefined
      ? {}
      : body
        ? { 'application/json': { schema: body, ...(example !== undefined && { example }) } }
        : {}),
    ...(file ? { 'multipart/form-data': { schema: formOf(body, file) } } : {}),
    ...Object.fromEntries(Object.entries(upload ?? {}).map(([type, schema]) => [type, { schema }])),
  };
  if (Object.keys(content).length === 0) return {};
  const required = file !== undefined || upload !== undefined || !body?.safeParse({}).success;
  return { requestBody: { required, content } };
}

/** Returns a route's name among the examples: `post /chat/completions`. */
export function exampleName(route: Route): string {
  return `${route.method} ${servedPath(route).replace('/api/v1', '')}`;
}

/** Builds the schema of a form: the files, and the body's fields except the one that a file fills. */
function formOf(body: z.ZodType | undefined, { as, maxFiles, parts = [FILE_PART] }: FileBody): z.ZodType {
  const fields = body instanceof z.ZodObject ? Object.entries(body.shape).filter(([name]) => name !== as) : [];
  const bytes = z.string().meta({ format: 'binary', description: 'The file, with a filename' });
  const files = maxFiles === undefined ? bytes : z.array(bytes).min(1).max(maxFiles);
  const [first, ...others] = parts;
  return z.strictObject({
    [first]: files,
    ...Object.fromEntries(others.map((name) => [name, bytes.optional()])),
    ...Object.fromEntries(fields),
  });
}

function answerHeaders(route: Route) {
  const named: Record<string, string> = {
    'X-Request-ID': 'Identifies the request in the logs.',
    ...(route.at === 'anthropic' && { 'Request-ID': "The same, for Anthropic's clients." }),
    ...(route.needs === 'none' ? {} : RATE_LIMIT_HEADERS),
    ...(route.headers?.Prefer !== undefined && {
      'Preference-Applied': 'The part of `Prefer` that was applied, if any.',
    }),
    ...route.answerHeaders,
  };
  return Object.fromEntries(
    Object.entries(named).map(([name, description]) => [name, { description, schema: { type: 'string' as const } }]),
  );
}

function securityOf({ needs, signed }: Route): Record<string, string[]>[] {
  if (needs === 'none') return [];
  // The signature in the query is enough.
  if (signed !== undefined) return [{ bearer: [] }, { apiKey: [] }, {}];
  return ACTIONS[needs].permission === null ? [{ bearer: [] }] : [{ bearer: [] }, { apiKey: [] }];
}

/** Describes the permission that a caller needs. */
function rightsOf({ needs }: Route): string {
  if (needs === 'none') return '';
  const { role, permission } = ACTIONS[needs];
  const key = permission === null ? 'API keys are not allowed' : `API keys need \`${permission}\``;
  return `Requires ${needs === 'operate' ? 'operator rights' : `the role ${role}`}. ${key}.`;
}

/** Returns the error statuses that a route's declaration implies. */
function statusesOf(route: Route): number[] {
  const scoped = route.needs !== 'none';
  const codes: ErrorCode[] = ['internal_error'];
  if (route.at !== 'root') {
    codes.push('invalid_scope', 'rate_limited', 'store_unavailable', ...(route.refuses ?? []));
    if (scoped || route.area === 'auth') codes.push('unauthorized');
    if (scoped) codes.push('forbidden');
    if (mayCarryBody(route) || route.query) codes.push('invalid_request');
    if (mayCarryBody(route)) codes.push('payload_too_large', 'unsupported_media_type');
    if (route.params) codes.push('not_found');
    if (scoped && route.method !== 'get') codes.push('conflict');
  }
  const statuses = codes.map((code) => statusAt(route, { code, status: ERRORS[code].status }));
  return [...new Set(statuses)].sort((one, other) => one - other);
}

function idParameter([name, kind]: [string, ParameterKind]): [string, z.ZodType] {
  return [name, parameterSchema(kind).meta({ description: `The ${kind === 'fileBatch' ? 'batch' : kind}'s id` })];
}

/** `GET /sessions/:session_id/messages` → `getSessionsBySessionIdMessages`. */
function operationId(route: Route): string {
  const words = route.path.replace(/[:*]/g, 'by_').split(/[^A-Za-z0-9]+/);
  return (
    (route.at === 'openai' || route.at === 'anthropic' ? `${route.at}_` : '') +
    route.method +
    words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  );
}
