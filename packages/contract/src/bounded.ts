import { z } from 'zod';
import { issueMessage } from './errors/issue-message.ts';

/** Limit of reported issues. Validation stops there, since a hostile value can have thousands. */
export const MAX_ISSUES = 20;

/** Declares a record with at most `max` entries. All records of the contract use it. */
export function boundedRecord<Value extends z.ZodType>(key: z.ZodString, value: Value, max: number) {
  return z
    .record(key, value)
    .refine((record) => !hasMoreKeys(record, max), { error: `must have at most ${max} entries` })
    .meta({ maxProperties: max });
}

export function recordBound(schema: z.ZodRecord): number | undefined {
  const max = schema.meta()?.maxProperties;
  return typeof max === 'number' ? max : undefined;
}

export function arrayBound(schema: z.ZodArray): number | undefined {
  const bounds = (schema.def.checks ?? []).flatMap(({ _zod: { def } }) =>
    'maximum' in def && typeof def.maximum === 'number' ? [def.maximum] : 'length' in def ? [Number(def.length)] : [],
  );
  return bounds.length > 0 ? Math.min(...bounds) : undefined;
}

/**
 * Parses like `safeParse`, but stops after 20 issues, and does not read records that are too large.
 *
 * zod itself refuses long arrays before reading their elements.
 */
export function parseBounded<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.ZodSafeParseResult<z.output<Schema>> {
  if (!prepared.has(schema)) {
    walkSchema(schema, (part) => {
      if (part instanceof z.ZodArray) stopEarly(part);
      else if (part instanceof z.ZodRecord) checkSizeFirst(part);
    });
    prepared.add(schema);
  }
  return schema.safeParse(value, { error: issueMessage });
}

const prepared = new WeakSet<z.ZodType>();
const changed = new WeakSet<z.ZodType>();

type Parse = z.ZodType['_zod']['parse'];

function replaceParse(schema: z.ZodType, change: (original: Parse) => Parse): void {
  if (changed.has(schema)) return;
  changed.add(schema);
  const inner = schema._zod;
  let base = inner.parse;
  const replaced = change((payload, context) => {
    const result = base(payload, context);
    // On first use, zod replaces its lazy wrapper, and with it our replacement.
    if (inner.parse !== replaced) {
      base = inner.parse;
      inner.parse = replaced;
    }
    return result;
  });
  // A schema without checks runs its parser directly.
  if (inner.run === base) inner.run = replaced;
  inner.parse = replaced;
}

/** Makes an array stop after 20 issues. */
function stopEarly(schema: z.ZodArray): void {
  const { element } = schema.def;
  const max = arrayBound(schema) ?? Number.POSITIVE_INFINITY;
  replaceParse(schema, (parse) => (payload, context) => {
    const given = payload.value;
    if (!Array.isArray(given) || given.length > max) return parse(payload, context);
    const values: unknown[] = new Array(given.length);
    for (let index = 0; index < given.length; index += 1) {
      const result = element._zod.run({ value: given[index], issues: [] }, context);
      if (result instanceof Promise) throw new z.core.$ZodAsyncError();
      values[index] = result.value;
      if (result.issues.length === 0) continue;
      payload.issues.push(...z.core.util.prefixIssues(index, result.issues));
      if (payload.issues.length >= MAX_ISSUES) break;
    }
    payload.value = values;
    return payload;
  });
}

/** Makes a record check its size before its entries. */
function checkSizeFirst(schema: z.ZodRecord): void {
  const max = recordBound(schema);
  if (max === undefined) return;
  replaceParse(schema, (parse) => (payload, context) => {
    if (!hasMoreKeys(payload.value, max)) return parse(payload, context);
    payload.issues.push({
      code: 'too_big',
      origin: 'record',
      maximum: max,
      inclusive: true,
      input: payload.value,
      inst: schema,
      message: `must have at most ${max} entries`,
    });
    return payload;
  });
}

function hasMoreKeys(value: unknown, max: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  let count = 0;
  for (const _ in value) {
    count += 1;
    if (count > max) return true;
  }
  return false;
}

/** Visits a schema and all schemas within it once. `path` shows the position. */
export function walkSchema(
  schema: z.core.$ZodType,
  visit: (part: z.core.$ZodType, path: string) => void,
  path = '',
  seen = new Set<z.core.$ZodType>(),
): void {
  if (seen.has(schema)) return;
  seen.add(schema);
  visit(schema, path);
  for (const [name, part] of partsOf((schema as z.core.$ZodTypes)._zod.def)) walkSchema(part, visit, path + name, seen);
}

function partsOf(def: z.core.$ZodTypeDef): [name: string, part: z.core.$ZodType][] {
  return Object.entries(def).flatMap(([field, value]) => {
    if (field === 'shape') return Object.entries(value).map(([name, part]) => [`.${name}`, part]);
    if (field === 'getter') return [['', value()]];
    if (field === 'element') return [['[]', value]];
    if (field === 'valueType') return [['{}', value]];
    if (value instanceof z.core.$ZodType) return [['', value]];
    return Array.isArray(value)
      ? value.filter((one) => one instanceof z.core.$ZodType).map((one, at) => [`|${at}`, one])
      : [];
  }) as [string, z.core.$ZodType][];
}
