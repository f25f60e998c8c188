import type { Document } from 'bson';
import { failedToParse, StoreError } from '../errors.ts';
import { type Fields, fieldNames, getField, isFields } from '../values/fields.ts';
import { Variables } from './expression.ts';
import type { Scope } from './operator.ts';
import { compileAddFields, compileProject, compileReplaceRoot, compileUnset, type Shape } from './shape.ts';

/** The stages that make of each document another one, by themselves. */
export const shapes: Readonly<Record<string, (argument: unknown, scope: Scope, name: string) => Shape>> = {
  $addFields: compileAddFields,
  $project: compileProject,
  $replaceRoot: compileReplaceRoot,
  $replaceWith: compileReplaceRoot,
  $set: compileAddFields,
  $unset: compileUnset,
};

/**
 * Compiles the update `[{$set: …}, {$unset: …}, {$replaceWith: …}]` to a function that turns a document into its successor; `variables`
 * are the statement's `c` or the command's `let`. The argument is not changed, the result may share values with it, and
 * `_id` is the caller's to keep. Throws InvalidOptions (72) for other stages, and what malformed stages throw.
 */
export function compileUpdatePipeline(
  stages: readonly unknown[],
  variables?: Fields,
): (document: Document) => Document {
  const scope = Variables.of(variables);
  const steps = stages.map((stage) => {
    const [name, ...others] = isFields(stage) ? fieldNames(stage) : [];
    if (name === undefined || others.length > 0) {
      throw failedToParse('A pipeline stage specification object must contain exactly one field.');
    }
    const make = Object.hasOwn(shapes, name) ? shapes[name] : undefined;
    if (!make) throw new StoreError(72, 'InvalidOptions', `${name} is not allowed to be used within an update`);
    return make(getField(stage as Fields, name), scope, name);
  });
  return (document) => steps.reduce((current, step) => step(current), document);
}
