import { parse as parseYaml } from 'yaml';
import type { ToolEffect } from '../agent-tool.ts';
import { cleanLine, cleanSchema } from '../untrusted-text.ts';
import type { CompiledApi, CompiledOperation, CompiledParameter } from './compiled-api.ts';
import { DocumentError, DocumentRefs, isObject, type JsonObject } from './document-refs.ts';

const MAX_OPERATIONS = 300;
const MAX_PARAMETERS = 60;
const MAX_WARNINGS = 50;
const MAX_DESCRIPTION = 2_000;
const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options'] as const;

const EFFECTS: Record<(typeof METHODS)[number], ToolEffect> = {
  get: 'read',
  head: 'read',
  options: 'read',
  put: 'idempotent',
  delete: 'idempotent',
  post: 'write',
  patch: 'write',
};

/**
 * Compiles an OpenAPI 3 document. Runs in a separate thread, since a hostile document may take arbitrarily long.
 * @throws {DocumentError} for a document that cannot be used at all
 */
export function compileDocument(text: string): CompiledApi {
  const document = parseDocument(text);
  if (typeof document.openapi !== 'string' || !/^3\./.test(document.openapi))
    throw new DocumentError('The document is not OpenAPI 3: its field `openapi` must start with `3.`.');
  if (!isObject(document.paths)) throw new DocumentError('The document has no `paths`.');
  const refs = new DocumentRefs(document);
  const operations: CompiledOperation[] = [];
  const warnings: string[] = [];
  const names = new Set<string>();
  for (const [path, given] of Object.entries(document.paths)) {
    const item = refs.follow(given);
    if (item === null || !path.startsWith('/')) continue;
    for (const method of METHODS) {
      if (!isObject(item[method])) continue;
      if (operations.length >= MAX_OPERATIONS)
        throw new DocumentError(`The document has more than ${MAX_OPERATIONS} operations. Remove some.`);
      try {
        const operation = compileOperation(refs, path, method, item, item[method]);
        operations.push({ ...operation, name: freeName(operation.name, names) });
      } catch (error) {
        if (!(error instanceof DocumentError)) throw error;
        if (warnings.length < MAX_WARNINGS)
          warnings.push(cleanLine(`${method.toUpperCase()} ${path} is left out: ${error.message}`, 500));
      }
    }
  }
  if (operations.length === 0)
    throw new DocumentError(`The document has no operation that can be used. ${warnings[0] ?? ''}`.trim());
  return { server: serverOf(document), operations, warnings };
}

function parseDocument(text: string): JsonObject {
  let document: unknown;
  try {
    document = /^\s*\{/.test(text) ? JSON.parse(text) : parseYaml(text, { maxAliasCount: 50, merge: false });
  } catch (error) {
    const reason = error instanceof Error ? cleanLine(error.message.split('\n', 1)[0] ?? '', 200) : '';
    throw new DocumentError(`The document is neither JSON nor YAML: ${reason}`);
  }
  if (!isObject(document)) throw new DocumentError('The document is not an object.');
  return document;
}

function compileOperation(
  refs: DocumentRefs,
  path: string,
  method: (typeof METHODS)[number],
  item: JsonObject,
  operation: JsonObject,
): CompiledOperation {
  const given = [...listOf(item.parameters), ...listOf(operation.parameters)];
  if (given.length > MAX_PARAMETERS) throw new DocumentError(`it has more than ${MAX_PARAMETERS} parameters`);
  const keys = new Set<string>();
  // Parameters of an operation replace those of its path.
  const found = new Map<string, JsonObject>();
  for (const one of given) {
    const parameter = refs.follow(one);
    if (parameter !== null) found.set(`${parameter.in} ${parameter.name}`, parameter);
  }
  const parameters = [...found.values()].flatMap((parameter) => compileParameter(refs, parameter, keys));
  for (const name of path.matchAll(/\{([^{}]+)\}/g))
    if (!parameters.some((one) => one.in === 'path' && one.name === name[1]))
      throw new DocumentError(`its path has the undeclared parameter \`${name[1]}\``);
  const body = compileBody(refs, operation.requestBody);
  const id = typeof operation.operationId === 'string' ? operation.operationId : `${method} ${path}`;
  const texts = [operation.summary, operation.description].filter((text) => typeof text === 'string');
  return {
    name: cleanName(id) || method,
    method: method.toUpperCase() as CompiledOperation['method'],
    path,
    description: cleanLine(texts.join('. '), MAX_DESCRIPTION),
    effect: EFFECTS[method],
    parameters,
    body,
  };
}

function compileParameter(refs: DocumentRefs, parameter: JsonObject, keys: Set<string>): CompiledParameter[] {
  const { name, in: place, required = false, description } = parameter;
  if (typeof name !== 'string' || name === '') return [];
  const isRequired = required === true || place === 'path';
  if (place !== 'path' && place !== 'query' && place !== 'header') {
    if (isRequired) throw new DocumentError(`it needs the parameter \`${name}\` in a place that is not supported`);
    return [];
  }
  const content = isObject(parameter.content) ? refs.follow(Object.values(parameter.content)[0]) : null;
  const schema = usable(refs.schema(content?.schema ?? parameter.schema), description);
  const byDefault = place === 'query' ? 'form' : 'simple';
  const { style = byDefault, explode = style === 'form' } = parameter;
  const known = ['simple', 'form', 'deepObject', 'spaceDelimited', 'pipeDelimited'] as const;
  const key = freeName(cleanName(name) || place, keys);
  return [
    {
      key,
      name,
      in: place,
      style: known.find((one) => one === style) ?? byDefault,
      explode: explode === true,
      required: isRequired,
      schema,
    },
  ];
}

function compileBody(refs: DocumentRefs, given: unknown): CompiledOperation['body'] {
  const body = refs.follow(given);
  if (body === null || !isObject(body.content)) return null;
  const types = Object.keys(body.content);
  const kinds = [
    ['json', /^application\/(json|[\w.+-]+\+json)\s*(;|$)/i],
    ['form', /^application\/x-www-form-urlencoded/i],
    ['text', /^text\/plain/i],
  ] as const;
  for (const [kind, pattern] of kinds) {
    const mediaType = types.find((type) => pattern.test(type));
    if (mediaType === undefined) continue;
    const media = refs.follow(body.content[mediaType]);
    const schema = kind === 'text' ? { type: 'string' } : usable(refs.schema(media?.schema), body.description);
    return { kind, mediaType: cleanLine(mediaType, 100), required: body.required === true, schema };
  }
  if (body.required !== true) return null;
  throw new DocumentError(`its body has the type ${types.join(', ') || 'none'}, which is not supported`);
}

function usable(schema: JsonObject, description: unknown): JsonObject {
  const described = typeof description === 'string' ? { description, ...schema } : schema;
  const clean = cleanSchema(described);
  if (clean === null) throw new DocumentError('its schema is too large');
  return clean;
}

/** Returns the address of the first server, with the defaults of its variables. */
function serverOf({ servers }: JsonObject): string | null {
  const server = listOf(servers)[0];
  if (!isObject(server) || typeof server.url !== 'string') return null;
  const variables = isObject(server.variables) ? server.variables : {};
  return server.url.slice(0, 2_000).replace(/\{([^{}]+)\}/g, (_, name: string) => {
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined;
    return isObject(variable) && typeof variable.default === 'string' ? variable.default : '';
  });
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Characters that providers accept in names of tools and fields. */
const cleanName = (name: string): string =>
  name
    .replace(/[^A-Za-z0-9_-]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 60);

function freeName(name: string, taken: Set<string>): string {
  // `body` is already a field of the arguments.
  let free = name === 'body' ? 'body_parameter' : name;
  for (let number = 2; taken.has(free); number += 1) free = `${name}_${number}`;
  taken.add(free);
  return free;
}
