/** Returns a valid value for a JSON Schema, always the same. Handles the keywords that models support. */
export function sampleOf(schema: unknown, root: unknown = schema): unknown {
  if (typeof schema !== 'object' || schema === null) return {};
  const { type, const: constant, enum: values, default: preset, anyOf, oneOf, allOf, $ref, ...rest } = schema as Schema;
  if ($ref !== undefined) return sampleOf(resolve($ref, root), root);
  if (constant !== undefined) return constant;
  if (values !== undefined) return values[0];
  if (preset !== undefined) return preset;
  const [first] = anyOf ?? oneOf ?? [];
  if (first !== undefined) return sampleOf(first, root);
  if (allOf !== undefined) return Object.assign({}, ...allOf.map((one) => sampleOf(one, root)));
  const kind = (Array.isArray(type) ? type[0] : type)?.toLowerCase() ?? 'object';
  switch (kind) {
    case 'string':
      return FORMATS[rest.format ?? ''] ?? 'Zürich'.padEnd(rest.minLength ?? 0, '.');
    case 'integer':
    case 'number':
      return rest.minimum ?? 7;
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'array':
      return Array.from({ length: rest.minItems ?? 1 }, () => sampleOf(rest.items ?? { type: 'string' }, root));
    default:
      return Object.fromEntries(
        Object.entries(rest.properties ?? {}).map(([name, property]) => [name, sampleOf(property, root)]),
      );
  }
}

const FORMATS: Record<string, string | undefined> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
  email: 'ada@example.com',
  uri: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
};

interface Schema {
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  default?: unknown;
  anyOf?: unknown[];
  oneOf?: unknown[];
  allOf?: unknown[];
  $ref?: string;
  format?: string;
  minLength?: number;
  minimum?: number;
  minItems?: number;
  items?: unknown;
  properties?: Record<string, unknown>;
}

function resolve(pointer: string, root: unknown): unknown {
  return pointer
    .replace(/^#\/?/, '')
    .split('/')
    .filter(Boolean)
    .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], root);
}
