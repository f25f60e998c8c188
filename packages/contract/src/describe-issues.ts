import { z } from 'zod';
import { MAX_ISSUES } from './bounded.ts';
import type { ErrorDetail } from './errors/index.ts';

type Issue = z.core.$ZodIssue;

/**
 * Describes validation issues and what is allowed instead. Returns at most 20.
 * @param at prefix of paths: `body`, `query`, `body.items.17.body`
 */
export function describeIssues(schema: z.ZodType, issues: readonly Issue[], at: string): ErrorDetail[] {
  const details: ErrorDetail[] = [];
  for (const issue of issues) {
    details.push(...describe(schema, issue, at));
    if (details.length >= MAX_ISSUES) break;
  }
  return details.slice(0, MAX_ISSUES);
}

function describe(schema: z.ZodType, issue: Issue, at: string): ErrorDetail[] {
  const path = [at, ...issue.path.map(String)].join('.').slice(0, 200);
  if (issue.code === 'unrecognized_keys') {
    const allowed = fieldsAt(schema, issue.path);
    const message = allowed.length > 0 ? `unknown field; allowed: ${allowed.join(', ')}` : 'unknown field';
    return issue.keys.slice(0, MAX_ISSUES).map((key) => ({ path: `${path}.${key.slice(0, 100)}`, message }));
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const [fitting, ...others] = issue.errors.filter((issues) => !issues.some(isOtherType));
    if (fitting !== undefined && others.length === 0)
      return fitting.flatMap((inner) => describe(schema, { ...inner, path: [...issue.path, ...inner.path] }, at));
    const branches = issue.errors.map((issues) => issues[0]?.message).filter((message) => message !== undefined);
    return [{ path, message: [...new Set(branches)].join('; or ') }];
  }
  return [{ path, message: isNaNIssue(issue) ? 'must be a number' : issue.message }];
}

/** Queries are texts, so what is no number comes as NaN. */
function isNaNIssue(issue: Issue): boolean {
  return issue.code === 'invalid_type' && 'received' in issue && issue.received === 'NaN';
}

/** Returns whether a branch of a union expects another type of value. */
function isOtherType({ code, path }: Issue): boolean {
  return code === 'invalid_type' && path.length === 0;
}

/** Returns the field names that the schema defines for the object at `path`. */
function fieldsAt(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  let current: unknown = unwrap(schema);
  for (const step of path) {
    if (current instanceof z.ZodObject) current = unwrap(current.shape[String(step)]);
    else if (current instanceof z.ZodArray) current = unwrap(current.element);
    else return [];
  }
  return current instanceof z.ZodObject ? Object.keys(current.shape) : [];
}

function unwrap(schema: unknown): unknown {
  let current = schema;
  for (;;) {
    if (current instanceof z.ZodPipe) current = current.in;
    else if (current instanceof z.ZodOptional || current instanceof z.ZodNullable || current instanceof z.ZodDefault)
      current = current.unwrap();
    else return current;
  }
}
