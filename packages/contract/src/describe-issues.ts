import type { z } from 'zod';
import { MAX_ISSUES } from './bounded.ts';
import type { ErrorDetail } from './errors/index.ts';
import { oneOf, UNION_MESSAGE } from './errors/issue-message.ts';

type Issue = z.core.$ZodIssue;
type Tag = z.core.$ZodIssueInvalidValue;

/**
 * Describes the issues that `parseBounded` found, by field. Returns at most 20.
 * @param at prefix of paths: `body`, `query`, `body.items.17.body`
 */
export function describeIssues(issues: readonly Issue[], at: string): ErrorDetail[] {
  const details: ErrorDetail[] = [];
  for (const issue of issues) {
    details.push(...describe(issue, at));
    if (details.length >= MAX_ISSUES) break;
  }
  return details.slice(0, MAX_ISSUES);
}

function describe(issue: Issue, at: string): ErrorDetail[] {
  const path = [at, ...issue.path.map(String)].join('.').slice(0, 200);
  if (issue.code === 'unrecognized_keys')
    return issue.keys
      .slice(0, MAX_ISSUES)
      .map((key) => ({ path: `${path}.${key.slice(0, 100)}`, message: issue.message }));
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [{ path, message: issue.message }];
  const isOwn = issue.message !== UNION_MESSAGE;
  const closest = closestBranch(issue.errors, isOwn);
  if (closest !== undefined)
    return closest.flatMap((inner) => describe({ ...inner, path: [...issue.path, ...inner.path] }, at));
  return [{ path, message: isOwn ? issue.message : joinMessages(issue.errors) }];
}

/**
 * Returns the issues of the branch that a value was meant for. Undefined: it could be several, or none.
 * @param surely whether not to guess
 */
function closestBranch(branches: readonly Issue[][], surely: boolean): Issue[] | undefined {
  const ofType = branches.filter((issues) => !issues.some(isOtherType));
  const tagged = ofType.filter((issues) => !issues.some(isTag));
  if (surely) return tagged.length === 1 ? tagged[0] : undefined;
  if (ofType.length > 1 && tagged.length === 0) {
    const tag = commonTag(ofType);
    if (tag !== undefined) return [tag];
  }
  const likely = tagged.length > 0 ? tagged : ofType;
  const fewest = Math.min(...likely.map(({ length }) => length));
  const [closest, ...others] = likely.filter(({ length }) => length === fewest);
  return others.every((issues) => issues.every(({ path }) => path.length > 0)) ? closest : undefined;
}

/** Returns whether a branch of a union expects another type of value, or another constant. */
function isOtherType({ code, path }: Issue): boolean {
  return path.length === 0 && (code === 'invalid_type' || code === 'invalid_value');
}

/** Returns whether a branch expects another constant, as in `type: 'text'`. */
function isTag(issue: Issue): issue is Tag {
  return issue.code === 'invalid_value' && issue.path.length === 1;
}

/** Merges what the branches expect in the field that tells them apart. */
function commonTag(branches: readonly Issue[][]): Tag | undefined {
  const tags = branches.map((issues) => issues.find(isTag)).filter((tag) => tag !== undefined);
  const [first] = tags;
  if (first === undefined || tags.some(({ path }) => path[0] !== first.path[0])) return undefined;
  const values = [...new Set(tags.flatMap((tag) => tag.values))];
  return { ...first, values, message: oneOf(values, first.message.startsWith('is required')) };
}

/** `must be a string` and `must be an array` → `must be a string or an array`. */
function joinMessages(branches: readonly Issue[][]): string {
  const messages = [...new Set(branches.flatMap(([first]) => (first === undefined ? [] : [first.message])))];
  const plain = messages.map((message) => /^must be ([^:;]+)$/.exec(message)?.[1]);
  return plain.every((one) => one !== undefined) ? `must be ${plain.join(' or ')}` : messages.join('; or ');
}
