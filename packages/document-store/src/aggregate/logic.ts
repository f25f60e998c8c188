import { Int32 } from 'bson';
import { failedToParse, locationError } from '../errors.ts';
import { isTruthy } from '../query/match-operators.ts';
import { isFields } from '../values/fields.ts';
import { compareValues } from '../values/order.ts';
import { anything, type Operator, type Operators, operator, readNamedArguments, readOperands } from './operator.ts';
import { bindVariables, type Expression, type Scope } from './scope.ts';

function comparisonOperator(result: (order: number) => unknown): Operator {
  return operator([anything, anything], ([left, right]) => result(compareValues(left, right)));
}

function compileAll(argument: unknown, scope: Scope, name: string, least = 0, most = Number.POSITIVE_INFINITY) {
  return readOperands(argument, name, least, most).map((operand) => scope.compile(operand));
}

function shortCircuit(decisive: boolean): Operator {
  return (argument, scope, name) => {
    const operands = compileAll(argument, scope, name);
    return (frame) => {
      for (const operand of operands) if (isTruthy(operand(frame)) === decisive) return decisive;
      return !decisive;
    };
  };
}

function compileCond(argument: unknown, scope: Scope, name: string): Expression {
  const parts = ['if', 'then', 'else'];
  const given = isFields(argument) ? readNamedArguments(argument, name, parts) : undefined;
  const operands = given ? parts.map((part) => given.get(part)) : argument;
  const [condition, then, otherwise] = compileAll(operands, scope, name, 3, 3) as [Expression, Expression, Expression];
  return (frame) => (isTruthy(condition(frame)) ? then(frame) : otherwise(frame));
}

function compileSwitch(argument: unknown, scope: Scope, name: string): Expression {
  const given = readNamedArguments(argument, name, ['branches', 'default?']);
  const branches = given.get('branches');
  if (!Array.isArray(branches)) throw locationError(40061, "$switch expected an array for 'branches'");
  if (branches.length === 0) throw locationError(40068, '$switch requires at least one branch');
  const cases = branches.map((branch) => {
    const parts = readNamedArguments(branch, name, ['case', 'then']);
    return { condition: scope.compile(parts.get('case')), result: scope.compile(parts.get('then')) };
  });
  const otherwise = given.has('default') ? scope.compile(given.get('default')) : undefined;
  return (frame) => {
    for (const { condition, result } of cases) if (isTruthy(condition(frame))) return result(frame);
    if (otherwise) return otherwise(frame);
    throw locationError(40066, '$switch could not find a matching branch for an input, and no default was specified.');
  };
}

function compileIfNull(argument: unknown, scope: Scope, name: string): Expression {
  const operands = compileAll(argument, scope, name, 2);
  return (frame) => {
    let value: unknown;
    for (const operand of operands) {
      value = operand(frame);
      if (value != null) break;
    }
    return value;
  };
}

function compileLet(argument: unknown, scope: Scope, name: string): Expression {
  const given = readNamedArguments(argument, name, ['vars', 'in']);
  const vars = given.get('vars');
  if (!isFields(vars)) throw failedToParse('invalid parameter: expected an object (vars)');
  const variables = bindVariables(vars, scope);
  const body = variables.scope.compile(given.get('in'));
  return (frame) => {
    variables.bind(frame);
    return body(frame);
  };
}

export const logicOperators: Operators = {
  $and: shortCircuit(false),
  $cmp: comparisonOperator((order) => new Int32(Math.sign(order))),
  $cond: compileCond,
  $eq: comparisonOperator((order) => order === 0),
  $expr: (argument, scope) => scope.compile(argument),
  $gt: comparisonOperator((order) => order > 0),
  $gte: comparisonOperator((order) => order >= 0),
  $ifNull: compileIfNull,
  $let: compileLet,
  $literal: (argument) => () => argument,
  $lt: comparisonOperator((order) => order < 0),
  $lte: comparisonOperator((order) => order <= 0),
  $ne: comparisonOperator((order) => order !== 0),
  $not: operator([anything], ([value]) => !isTruthy(value)),
  $or: shortCircuit(true),
  $switch: compileSwitch,
};
