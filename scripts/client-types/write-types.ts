import { createOpenApi } from '../../apps/api/src/docs/openapi.ts';
import { routes } from '../../apps/api/src/routes/index.ts';
import { comment, key, type Schema, typeOfSchema } from './type-of-schema.ts';

interface Operation {
  summary: string;
  parameters?: { in?: string; name?: string; description?: string; required?: boolean; schema?: Schema }[];
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

export interface OpenApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

const PREFIX = '/api/v1';

const HEADING = `// Made from the API's OpenAPI document by \`node scripts/client-types/main.ts\`: change the declarations of its routes instead.

`;

export function writeTypes({ paths, components }: OpenApiDocument): string {
  const named = Object.entries(components.schemas)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, schema]) => [...comment(schema, ''), declaration(name, schema)].join('\n'));
  const operations = Object.entries(paths)
    .filter(([path]) => path.startsWith(`${PREFIX}/`))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) =>
        writeOperation(`${method.toUpperCase()} ${path.slice(PREFIX.length)}`, operation),
      ),
    );
  const table = `/** What each route takes and answers, by its method and its path under \`${PREFIX}\`. */\nexport interface Operations {\n${operations.join('\n')}\n}`;
  return `${HEADING}${[...named, table].join('\n\n')}\n`;
}

function declaration(name: string, schema: Schema): string {
  const type = typeOfSchema(schema);
  return schema.type === 'object' && schema.properties
    ? `export interface ${name} ${type}`
    : `export type ${name} = ${type};`;
}

function writeOperation(name: string, { summary, parameters = [], requestBody, responses }: Operation): string {
  const fields = [
    parameterField('path', parameters),
    parameterField('query', parameters),
    bodyField('body', 'application/json', requestBody),
    bodyField('form', 'multipart/form-data', requestBody),
    '    /** The answer */',
    `    answer: ${typeOfSchema(answerOf(responses['200']?.content ?? {}), '    ')};`,
  ].filter((field) => field !== null);
  return [...comment({ description: summary }, '  '), `  ${key(name)}: {`, ...fields, '  };'].join('\n');
}

function parameterField(place: 'path' | 'query', parameters: NonNullable<Operation['parameters']>): string | null {
  const own = parameters.filter((parameter) => parameter.in === place);
  if (own.length === 0) return null;
  const schema: Schema = {
    type: 'object',
    properties: Object.fromEntries(
      own.map(({ name = '', schema = {}, description }) => [
        name,
        { ...schema, description: schema.description ?? description },
      ]),
    ),
    required: own.filter(({ required }) => required).map(({ name = '' }) => name),
  };
  return `    /** ${place === 'path' ? 'Values of the path' : 'Query parameters'} */\n    ${place}${place === 'path' ? '' : '?'}: ${typeOfSchema(schema, '    ')};`;
}

function bodyField(field: string, mediaType: string, body: Operation['requestBody']): string | null {
  const schema = body?.content[mediaType]?.schema;
  if (schema === undefined) return null;
  // The API ignores fields that it does not know, as clients of OpenAI expect. Here they would be typos.
  const closed =
    typeof schema.additionalProperties === 'object' && schema.properties
      ? { ...schema, additionalProperties: false }
      : schema;
  return `    /** ${field === 'body' ? 'JSON body' : 'Multipart form'} */\n    ${field}${body?.required ? '' : '?'}: ${typeOfSchema(closed, '    ')};`;
}

/** Returns the default answer: not a stream, if there is another. */
function answerOf(content: Record<string, { schema: Schema }>): Schema {
  const [type] = Object.keys(content).filter((name) => name !== 'text/event-stream');
  return content[type ?? 'text/event-stream']?.schema ?? {};
}

export const TYPES_FILE = new URL('../../packages/client/src/generated/api-types.ts', import.meta.url);

export function currentTypes(): string {
  return writeTypes(createOpenApi(routes, null) as unknown as OpenApiDocument);
}
