import { failedToParse, StoreError } from '../errors.ts';
import { fieldNames, getField, isFields } from '../values/fields.ts';
import { Variables } from './expression.ts';
import { type Shape, shapes } from './shape.ts';

/**
 * Compiles the update `[{$set: …}, {$unset: …}, {$replaceWith: …}]` to a function that turns a document into its successor; `scope` has
 * the variables of the statement's `c` and the command's `let`. The argument is not changed, the result may share values with it, and
 * `_id` is the caller's to keep. Throws InvalidOptions (72) for other stages, and what malformed stages throw.
 */
export function compileUpdatePipeline(stages: readonly unknown[], scope = Variables.of()): Shape {
  const steps = stages.map((stage) => {
    const { name, argument } = readStage(stage);
    const make = shapes.get(name);
    if (!make) throw new StoreError(72, 'InvalidOptions', `${name} is not allowed to be used within an update`);
    return make(argument, scope, name);
  });
  return (document) => steps.reduce((current, step) => step(current), document);
}

/** A stage's name and argument. Throws 40323 for what is no document of one field. */
export function readStage(stage: unknown): { name: string; argument: unknown } {
  if (!isFields(stage)) throw failedToParse('Each element of the pipeline array must be an object');
  const [name, ...others] = fieldNames(stage);
  if (name !== undefined && others.length === 0) return { name, argument: getField(stage, name) };
  throw new StoreError(40323, 'Location40323', 'A pipeline stage specification object must contain exactly one field.');
}
