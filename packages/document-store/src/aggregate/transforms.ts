import type { Document } from 'bson';
import { locationError, StoreError } from '../errors.ts';
import { FieldTree } from '../query/field-tree.ts';
import { compileProjection } from '../query/project.ts';
import { fieldNames, getField, isFields } from '../values/fields.ts';
import { fieldPathParts } from '../values/path.ts';
import { compileReader, Variables } from './expression.ts';
import type { Scope } from './scope.ts';
import { readStage } from './stage.ts';

/** Returns a new document. It may share values with the argument. */
type Transform = (document: Document) => Document;

type CompileTransform = (argument: unknown, scope: Scope, name: string) => Transform;

export const transforms: ReadonlyMap<string, CompileTransform> = new Map<string, CompileTransform>([
  ['$addFields', compileAddFields],
  ['$project', compileProject],
  ['$replaceRoot', compileReplaceRoot],
  ['$replaceWith', compileReplaceRoot],
  ['$set', compileAddFields],
  ['$unset', compileUnset],
]);

function compileAddFields(argument: unknown, scope: Scope, name: string): Transform {
  if (!isFields(argument)) throw locationError(40272, `${name} specification stage must be an object`);
  const tree = new FieldTree((path) =>
    locationError(40176, `specification contains two conflicting paths at '${path.join('.')}'`),
  );
  const visit = (operand: unknown, path: readonly string[]): void => {
    const names = isFields(operand) ? fieldNames(operand) : [];
    if (path.length === 0 || (names.length > 0 && !names[0]?.startsWith('$'))) {
      for (const field of names) visit(getField(operand as Document, field), [...path, ...fieldPathParts(field)]);
    } else {
      const expression = scope.compile(operand);
      tree.add(path, (_value, frame) => expression(frame), true);
    }
  };
  visit(argument, []);
  return (document) => {
    scope.frame.begin(document);
    return tree.modify(document, scope.frame) as Document;
  };
}

function compileUnset(argument: unknown): Transform {
  const paths: unknown[] = Array.isArray(argument) ? argument : [argument];
  if (paths.length === 0 || !paths.every((path) => typeof path === 'string' && path !== '')) {
    throw locationError(31002, '$unset specification must be a string or an array of strings');
  }
  return compileProjection(Object.fromEntries(paths.map((path) => [path, false])));
}

function compileProject(argument: unknown, scope: Scope): Transform {
  if (!isFields(argument)) throw locationError(15969, '$project specification must be an object');
  if (fieldNames(argument).length === 0) {
    throw locationError(51272, 'projection specification must have at least one field');
  }
  return compileProjection(argument, undefined, scope);
}

function compileReplaceRoot(argument: unknown, scope: Scope, name: string): Transform {
  const isNamed = name === '$replaceRoot';
  if (isNamed && !isFields(argument)) throw locationError(40229, `${name} must be an object`);
  const operand = isNamed ? getField(argument as Document, 'newRoot') : argument;
  if (operand === undefined) throw locationError(40231, 'no newRoot specified for the $replaceRoot stage');
  const read = compileReader(operand, scope);
  return (document) => {
    const root = read(document);
    if (isFields(root)) return root as Document;
    throw locationError(40228, "'newRoot' expression must evaluate to an object, but resulting value was not one");
  };
}

/**
 * Compiles an update pipeline such as `[{$set: …}, {$unset: …}]`. The caller keeps `_id`. Throws
 * InvalidOptions (72) for stages that updates do not allow.
 */
export function compileUpdatePipeline(stages: readonly unknown[], scope = Variables.of()): Transform {
  const steps = stages.map((stage) => {
    const { name, argument } = readStage(stage);
    const make = transforms.get(name);
    if (!make) throw new StoreError(72, 'InvalidOptions', `${name} is not allowed to be used within an update`);
    return make(argument, scope, name);
  });
  return (document) => steps.reduce((current, step) => step(current), document);
}
