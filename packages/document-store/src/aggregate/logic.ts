import { Int32 } from 'bson';
import { failedToParse, locationError } from '../errors.ts';
import { isTruthy } from '../query/match-operators.ts';
import { fieldNames, getField, isFields } from '../values/fields.ts';
import { compareValues } from '../values/order.ts';
import { type Expression, namedArguments, type Operator, operator, type Scope } from './operator.ts';

/** Compares any two values in BSON's order; a missing one comes before null. */
function comparison(accepts: (order: number) => boolean): Operator {
  return operator(2, 2, ([left, right]) => accepts(compareValues(left, right)));
}

/** Evaluates until one operand decides. */
function until(decisive: boolean): Operator {
  return (argument, scope) => {
    const operands = compileAll(argument, scope);
    return (frame) => {
      for (const operand of operands) if (isTruthy(operand(frame)) === decisive) return decisive;
      return !decisive;
    };
  };
}

function compileAll(argument: unknown, scope: Scope): Expression[] {
  return (Array.isArray(argument) ? argument : [argument]).map((operand) => scope.compile(operand));
}

function compileCond(argument: unknown, scope: Scope, name: string): Expression {
  let operands = argument;
  if (isFields(argument)) {
    const given = namedArguments(argument, name, ['if', 'then', 'else'], [17080, 17083, 17080]);
    operands = ['if', 'then', 'else'].map((part) => given.get(part));
  }
  if (!Array.isArray(operands) || operands.length !== 3) {
    const count = Array.isArray(operands) ? operands.length : 1;
    throw locationError(16020, `Expression $cond takes exactly 3 arguments. ${count} were passed in.`);
  }
  const [condition, then, otherwise] = compileAll(operands, scope) as [Expression, Expression, Expression];
  return (frame) => (isTruthy(condition(frame)) ? then(frame) : otherwise(frame));
}

function compileSwitch(argument: unknown, scope: Scope, name: string): Expression {
  const given = namedArguments(argument, name, ['branches', 'default?'], [40060, 40067, 40068]);
  const branches = given.get('branches');
  if (!Array.isArray(branches)) throw locationError(40061, "$switch expected an array for 'branches'");
  if (branches.length === 0) throw locationError(40068, '$switch requires at least one branch');
  const cases = branches.map((branch) => {
    const parts = namedArguments(branch, name, ['case?', 'then?'], [40062, 40063, 40064]);
    if (!parts.has('case')) throw locationError(40064, "$switch requires each branch have a 'case' expression");
    if (!parts.has('then')) throw locationError(40065, "$switch requires each branch have a 'then' expression");
    return { condition: scope.compile(parts.get('case')), result: scope.compile(parts.get('then')) };
  });
  const otherwise = given.has('default') ? scope.compile(given.get('default')) : undefined;
  return (frame) => {
    for (const { condition, result } of cases) if (isTruthy(condition(frame))) return result(frame);
    if (otherwise) return otherwise(frame);
    throw locationError(40066, '$switch could not find a matching branch for an input, and no default was specified.');
  };
}

function compileIfNull(argument: unknown, scope: Scope): Expression {
  if (!Array.isArray(argument) || argument.length < 2) {
    throw locationError(1257300, '$ifNull needs at least two arguments');
  }
  const operands = compileAll(argument, scope);
  return (frame) => {
    let value: unknown;
    for (const operand of operands) {
      value = operand(frame);
      if (value != null) return value;
    }
    return value;
  };
}

function compileLet(argument: unknown, scope: Scope, name: string): Expression {
  const given = namedArguments(argument, name, ['vars', 'in'], [16874, 16875, 16876]);
  const variables = given.get('vars');
  if (!isFields(variables)) throw failedToParse('invalid parameter: expected an object (vars)');
  let inner = scope;
  const bindings = fieldNames(variables).map((variable) => {
    const value = scope.compile(getField(variables, variable));
    const bound = inner.with(variable);
    inner = bound.scope;
    return { slot: bound.slot, value };
  });
  const body = inner.compile(given.get('in'));
  return (frame) => {
    for (const { slot, value } of bindings) {
      frame.bind(slot, value(frame));
    }
    return body(frame);
  };
}

export const logicOperators: Readonly<Record<string, Operator>> = {
  $and: until(false),
  $cmp: operator(2, 2, ([left, right]) => new Int32(Math.sign(compareValues(left, right)))),
  $cond: compileCond,
  $eq: comparison((order) => order === 0),
  $expr: (argument, scope) => scope.compile(argument),
  $gt: comparison((order) => order > 0),
  $gte: comparison((order) => order >= 0),
  $ifNull: compileIfNull,
  $let: compileLet,
  $literal: (argument) => () => argument,
  $lt: comparison((order) => order < 0),
  $lte: comparison((order) => order <= 0),
  $ne: comparison((order) => order !== 0),
  $not: operator(1, 1, ([value]) => !isTruthy(value)),
  $or: until(true),
  $switch: compileSwitch,
};
