import type { Document } from 'bson';
import { locationError } from '../errors.ts';
import { changed } from '../plan/query.ts';
import { Candidate, type Source } from '../plan/scan.ts';
import { type Fields, fieldNames, getField, isFields, setField } from '../values/fields.ts';
import type { Scope } from './operator.ts';

const decisions = ['DESCEND', 'PRUNE', 'KEEP'] as const;

/** `$redact`: the expression decides for each document inside the document whether it is kept, cut off, or looked into. */
export function compileRedact(argument: unknown, scope: Scope): (source: Source) => Source {
  let inner = scope;
  const slots = decisions.map((name) => {
    const bound = inner.with(name);
    inner = bound.scope;
    return bound.slot;
  });
  const current = inner.with('CURRENT');
  const expression = current.scope.compile(argument);
  const { frame } = scope;

  function redacted(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(redacted).filter((element) => element !== undefined);
    if (!isFields(value)) return value;
    frame.slots[current.slot] = value;
    const decision = expression(frame);
    if (decision === 'KEEP') return value;
    if (decision === 'PRUNE') return undefined;
    if (decision !== 'DESCEND')
      throw locationError(
        17053,
        "$redact's expression should not return anything aside from $$KEEP, $$DESCEND, and $$PRUNE",
      );
    return fieldNames(value).reduce<Fields>((result, name) => {
      const kept = redacted(getField(value, name));
      return kept === undefined ? result : setField(result, name, kept);
    }, {});
  }

  return (source) =>
    changed(source, ({ document }) => {
      frame.begin(document);
      for (const [at, slot] of slots.entries()) frame.slots[slot] = decisions[at];
      const result = redacted(document);
      return result === undefined ? undefined : Candidate.of(result as Document);
    });
}
