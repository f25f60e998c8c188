export interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  description?: string;
  format?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  default?: unknown;
}

const INDENT = '  ';

/** Returns a schema as a TypeScript type. References become types of the same name. */
export function typeOfSchema(schema: Schema, indent = ''): string {
  if (schema.$ref !== undefined) return schema.$ref.replace(/^.*\//, '');
  if ('const' in schema) return literal(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(literal).join(' | ');
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives !== undefined) return union(alternatives.map((one) => typeOfSchema(one, indent)));
  if (schema.allOf !== undefined) return schema.allOf.map((one) => enclosed(one, indent)).join(' & ');
  const types = [schema.type ?? []].flat();
  if (types.length === 0) return 'unknown';
  return union(types.map((type) => typeNamed(type, schema, indent)));
}

function typeNamed(type: string, schema: Schema, indent: string): string {
  switch (type) {
    case 'string':
      return schema.format === 'binary' ? 'Blob' : 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
    case 'null':
      return type;
    case 'array':
      return `${enclosed(schema.items ?? {}, indent)}[]`;
    case 'object':
      return typeOfObject(schema, indent);
    default:
      throw new Error(`No type is known for "${type}".`);
  }
}

function typeOfObject({ properties = {}, required = [], additionalProperties }: Schema, indent: string): string {
  const names = Object.keys(properties);
  if (names.length === 0) {
    const values = typeof additionalProperties === 'object' ? typeOfSchema(additionalProperties, indent) : 'unknown';
    return `Record<string, ${values}>`;
  }
  const inner = indent + INDENT;
  const lines = names.flatMap((name) => {
    const property = properties[name] as Schema;
    const optional = required.includes(name) ? '' : '?';
    const type = typeOfSchema(property, inner);
    // Optional fields may be undefined, too; the client omits them.
    return [...comment(property, inner), `${inner}${key(name)}${optional}: ${type}${optional && ' | undefined'};`];
  });
  // Requests that accept undeclared fields.
  if (typeof additionalProperties === 'object') lines.push(`${inner}[field: string]: unknown;`);
  return `{\n${lines.join('\n')}\n${indent}}`;
}

export function comment({ description }: Pick<Schema, 'description'>, indent: string): string[] {
  if (description === undefined || description === '') return [];
  const lines = description.replaceAll('*/', '*\\/').split('\n');
  if (lines.length === 1) return [`${indent}/** ${lines[0]} */`];
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`];
}

export const key = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`);

const literal = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'` : JSON.stringify(value);

const union = (types: string[]): string => [...new Set(types)].join(' | ');

function enclosed(schema: Schema, indent: string): string {
  const { $ref, anyOf, oneOf, allOf, type } = schema;
  const parts = anyOf ?? oneOf ?? allOf ?? schema.enum ?? [type ?? []].flat();
  const text = typeOfSchema(schema, indent);
  return $ref === undefined && parts.length > 1 ? `(${text})` : text;
}
