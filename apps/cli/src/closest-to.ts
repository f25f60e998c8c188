import leven from 'leven';

const MAX_EDITS = 2;

/** Returns the name that is most like a mistyped one, or null if none is. */
export function closestTo(typed: string, names: readonly string[]): string | null {
  const ranked = names.map((name) => [leven(typed, name), name] as const).sort(([one], [other]) => one - other);
  const [edits, name] = ranked[0] ?? [Number.POSITIVE_INFINITY, null];
  return edits <= Math.min(MAX_EDITS, typed.length - 1) ? name : null;
}
