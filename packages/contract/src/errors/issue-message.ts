import type { z } from 'zod';
import { withCommas } from '../with-commas.ts';

type RawIssue = z.core.$ZodRawIssue;
type Bounds = { min?: number | bigint; max?: number | bigint };

/** Limits of what a message lists. Every list of the contract but a few fits. */
const MAX_LISTED = 60;
const MAX_PATTERN = 200;

/** The message of a union whose schema sets none. `describeIssues` replaces it with the messages of its branches. */
export const UNION_MESSAGE = 'is not valid';

const TYPES: Record<string, string> = {
  string: 'a string',
  boolean: 'true or false',
  bigint: 'a whole number',
  date: 'a date',
  array: 'an array',
  tuple: 'an array',
  set: 'a set',
  object: 'an object',
  record: 'an object',
  map: 'a map',
  null: 'null',
  nan: 'NaN',
  file: 'a file',
  function: 'a function',
  symbol: 'a symbol',
  Uint8Array: 'binary data',
};

const FORMATS: Record<string, string> = {
  email: 'an email address',
  url: 'a URL',
  uuid: 'a UUID',
  guid: 'a GUID',
  emoji: 'an emoji',
  nanoid: 'a nanoid',
  cuid: 'a CUID',
  cuid2: 'a CUID2',
  ulid: 'a ULID',
  xid: 'an XID',
  ksuid: 'a KSUID',
  datetime: 'a date and time such as 2026-01-31T09:00:00Z',
  date: 'a date such as 2026-01-31',
  time: 'a time such as 09:00:00',
  duration: 'an ISO 8601 duration such as PT30M',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  mac: 'a MAC address',
  cidrv4: 'a range of IPv4 addresses such as 10.0.0.0/8',
  cidrv6: 'a range of IPv6 addresses such as fd00::/8',
  base64: 'base64',
  base64url: 'base64url',
  json_string: 'JSON',
  e164: 'a phone number such as +14155550123',
  credit_card: 'a credit card number',
  iban: 'an IBAN',
  currency_code: 'a currency code such as EUR',
  hostname: 'a host name',
  hex: 'hexadecimal',
  jwt: 'a JWT',
  lowercase: 'in lower case',
  uppercase: 'in upper case',
};

const UNITS: Record<string, [one: string, more: string]> = {
  string: ['character', 'characters'],
  file: ['byte', 'bytes'],
  map: ['entry', 'entries'],
  record: ['entry', 'entries'],
  array: ['item', 'items'],
  set: ['item', 'items'],
};

/**
 * Says in plain English what a value must be, for `safeParse(value, { error: issueMessage })`. Messages that a schema
 * sets take precedence. Never repeats the value, since it may be a secret.
 */
export function issueMessage(issue: RawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined && issue.expected !== 'undefined' ? 'is required' : typeMessage(issue);
    case 'invalid_value':
      return oneOf(issue.values, issue.input === undefined);
    case 'too_small':
    case 'too_big':
      return sizeMessage(issue);
    case 'invalid_format':
      return formatMessage(issue);
    case 'not_multiple_of':
      return `must be a multiple of ${amount(issue.divisor)}`;
    case 'unrecognized_keys': {
      const known = knownFields(issue.inst);
      return `is not a known field${known.length > 0 ? `; allowed: ${listed(known)}` : ''}`;
    }
    case 'invalid_key':
      return `its name ${issue.issues[0]?.message ?? 'is not valid'}`;
    case 'invalid_element':
      return `has an item that ${issue.issues[0]?.message ?? 'is not valid'}`;
    case 'invalid_union':
      return unionMessage(issue);
    default:
      return 'is not valid';
  }
}

function typeMessage({ expected, input, schema }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidType>): string {
  if (expected === 'number' || expected === 'int') {
    if (input === Number.POSITIVE_INFINITY || input === Number.NEGATIVE_INFINITY) return 'must be a finite number';
    const type = expected === 'int' || isWhole(schema) ? 'a whole number' : 'a number';
    return `must be ${type}${range(boundsOf(schema))}`;
  }
  if (expected === 'never') return 'is not allowed';
  if (expected === 'undefined' || expected === 'void') return 'must not be set';
  if (expected === 'nonoptional') return 'is required';
  return `must be ${TYPES[expected] ?? `of type ${expected}`}`;
}

function sizeMessage(issue: z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig>): string {
  const { code, origin, exact } = issue;
  const limit = code === 'too_small' ? issue.minimum : issue.maximum;
  if (origin === 'date') return `must be ${code === 'too_small' ? 'on or after' : 'on or before'} ${dateOf(limit)}`;
  const unit = UNITS[origin];
  const bounds = boundsOf(issue.schema);
  if (unit === undefined) {
    if (issue.inclusive === false) return `must be ${code === 'too_small' ? 'greater' : 'less'} than ${amount(limit)}`;
    const others = range(bounds);
    return `must be${others || ` at ${code === 'too_small' ? 'least' : 'most'} ${amount(limit)}`}`;
  }
  const counted = (count: number | bigint) => `${amount(count)} ${unit[Number(count) === 1 ? 0 : 1]}`;
  if (exact) return `must have exactly ${counted(limit)}`;
  const { min, max } = bounds;
  if (min !== undefined && max !== undefined && (code === 'too_small' || min > 1))
    return min === max ? `must have exactly ${counted(min)}` : `must have ${amount(min)} to ${counted(max)}`;
  if (code === 'too_big') return `must have at most ${counted(limit)}`;
  return Number(limit) === 1 ? 'must not be empty' : `must have at least ${counted(limit)}`;
}

function formatMessage(issue: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidStringFormat>): string {
  const { format, prefix, suffix, includes, pattern } = issue as Partial<Record<string, unknown>> & { format: string };
  if (format === 'starts_with') return `must start with ${quoted(prefix)}`;
  if (format === 'ends_with') return `must end with ${quoted(suffix)}`;
  if (format === 'includes') return `must contain ${quoted(includes)}`;
  const known = FORMATS[format];
  if (known !== undefined) return `must be ${known}`;
  return typeof pattern === 'string' && pattern.length <= MAX_PATTERN
    ? `must match the pattern ${pattern}`
    : 'has the wrong format';
}

function unionMessage(issue: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>): string {
  if ('inclusive' in issue && issue.inclusive === false) return 'matches more than one of the allowed forms';
  const { discriminator, input } = issue;
  if (discriminator === undefined || !('options' in issue) || !issue.options)
    return input === undefined ? 'is required' : UNION_MESSAGE;
  return oneOf(
    issue.options.filter((option) => option !== null),
    (input as Record<string, unknown>)[discriminator] === undefined,
  );
}

/** `must be one of: a, b` */
export function oneOf(values: readonly unknown[], isMissing: boolean): string {
  const allowed = values.filter((value) => value !== undefined);
  const must = isMissing ? 'is required and must be' : 'must be';
  if (allowed.length === 1) return `${must} ${quoted(allowed[0])}`;
  return `${must} one of: ${listed(allowed.map(String))}`;
}

function listed(names: readonly string[]): string {
  const rest = names.length - MAX_LISTED;
  return rest > 0 ? `${names.slice(0, MAX_LISTED).join(', ')} and ${rest} more` : names.join(', ');
}

function quoted(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

function amount(value: number | bigint): string {
  return typeof value === 'bigint' || Number.isSafeInteger(value) ? withCommas(value) : String(value);
}

function dateOf(time: number | bigint): string {
  const date = new Date(Number(time));
  return Number.isNaN(date.getTime()) ? 'the limit' : date.toISOString();
}

/** ` between 1 and 10`, if both bounds are known. */
function range({ min, max }: Bounds): string {
  return min === undefined || max === undefined ? '' : ` between ${amount(min)} and ${amount(max)}`;
}

type Definition = z.core.$ZodTypeDef & { shape?: object; keyType?: z.core.$ZodType; format?: string };

/** Returns the inclusive bounds that a schema's checks set. */
function boundsOf(schema: z.core.$ZodType | undefined): Bounds {
  const bounds: Bounds = {};
  for (const { _zod } of schema?._zod.def.checks ?? []) {
    const { minimum, maximum, value, inclusive, check } = _zod.def as unknown as Record<string, never>;
    if (minimum !== undefined) bounds.min = minimum;
    else if (maximum !== undefined) bounds.max = maximum;
    else if (check === 'greater_than' && inclusive) bounds.min = value;
    else if (check === 'less_than' && inclusive) bounds.max = value;
  }
  return bounds;
}

function isWhole(schema: z.core.$ZodType | undefined): boolean {
  const { format, checks = [] } = (schema?._zod.def ?? {}) as Partial<Definition>;
  return format === 'safeint' || checks.some(({ _zod: { def } }) => 'format' in def && def.format === 'safeint');
}

/** Returns the names of an object's fields, or of a record with fixed keys. */
function knownFields(schema: RawIssue['inst']): string[] {
  const { shape, keyType } = (schema?._zod.def ?? {}) as Partial<Definition>;
  return shape ? Object.keys(shape) : [...(keyType?._zod.values ?? [])].map(String);
}
