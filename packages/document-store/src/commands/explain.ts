import type { Document } from 'bson';
import { badValue } from '../errors.ts';
import type { Plan } from '../plan/planner.ts';
import type { Query, QueryRequest } from '../plan/query.ts';
import { isFields } from '../values/fields.ts';
import { breathe, type CommandContext, documentField, findCollection } from './command.ts';
import { readQuery } from './find.ts';

/** `explain` of find, count, distinct, aggregate, update, delete and findAndModify: the plan, and what it looked at. */
export function* explain(context: CommandContext): Generator<undefined, Document> {
  const explained = context.command.explain;
  if (!isFields(explained)) throw badValue('explain needs the command to explain');
  const command = explained as Document;
  const name = Object.keys(command)[0] ?? '';
  const inner = { ...context, name, command };
  const request = requestOf(name, command);
  const collection = findCollection(inner);
  const namespace = `${context.database}.${String(command[name])}`;
  const query = context.store.openQuery(collection, request);
  const queryPlanner = {
    namespace,
    indexFilterSet: false,
    parsedQuery: request.filter,
    winningPlan: describeQuery(query, request, documentField(command, 'projection')),
    rejectedPlans: [],
  };
  if (context.command.verbosity === 'queryPlanner') return { explainVersion: '1', queryPlanner };
  const started = Date.now();
  let nReturned = 0;
  for (let portion = query.source.pull(); portion; portion = query.source.pull()) {
    nReturned += portion.length;
    yield* breathe(context);
  }
  const executionStats = {
    executionSuccess: true,
    nReturned,
    executionTimeMillis: Date.now() - started,
    totalKeysExamined: query.counts.keysExamined,
    totalDocsExamined: query.counts.documentsExamined,
  };
  return { explainVersion: '1', queryPlanner, executionStats };
}

function requestOf(name: string, command: Document): QueryRequest {
  switch (name) {
    case 'find':
      return readQuery(command);
    case 'count':
    case 'distinct':
      return { filter: documentField(command, 'query') ?? {}, hint: command.hint };
    case 'findAndModify':
      return {
        filter: documentField(command, 'query') ?? {},
        sort: documentField(command, 'sort'),
        limit: 1,
        hint: command.hint,
      };
    case 'update':
      return { filter: documentField(command.updates?.[0] ?? {}, 'q') ?? {}, hint: command.updates?.[0]?.hint };
    case 'delete':
      return { filter: documentField(command.deletes?.[0] ?? {}, 'q') ?? {}, hint: command.deletes?.[0]?.hint };
    case 'aggregate': {
      const first = command.pipeline?.[0];
      return { filter: (isFields(first) && documentField(first, '$match')) || {}, hint: command.hint };
    }
    default:
      throw badValue(`this server does not explain '${name}'`);
  }
}

function describeQuery(query: Query, request: QueryRequest, projection: Document | undefined): Document {
  let stage = describePlan(query.plan, request.filter);
  if (query.blockingSort) stage = { stage: 'SORT', sortPattern: request.sort, inputStage: stage };
  if (request.skip) stage = { stage: 'SKIP', skipAmount: request.skip, inputStage: stage };
  if (request.limit) stage = { stage: 'LIMIT', limitAmount: request.limit, inputStage: stage };
  if (projection) stage = { stage: 'PROJECTION_SIMPLE', transformBy: projection, inputStage: stage };
  return stage;
}

function describePlan(plan: Plan, filter: Document): Document {
  switch (plan.kind) {
    case 'nothing':
      return { stage: 'EOF' };
    case 'id':
      return { stage: 'IDHACK' };
    case 'collection':
      return { stage: 'COLLSCAN', filter, direction: plan.backwards ? 'backward' : 'forward' };
    case 'union':
      return {
        stage: 'FETCH',
        filter,
        inputStage: { stage: 'OR', inputStages: plan.branches.map((branch) => describePlan(branch, {})) },
      };
    case 'index': {
      const { definition, multikey } = plan.index;
      return {
        stage: 'FETCH',
        filter: plan.exact ? undefined : filter,
        inputStage: {
          stage: 'IXSCAN',
          keyPattern: definition.specification.key,
          indexName: definition.name,
          isMultiKey: multikey,
          isUnique: definition.unique,
          isSparse: definition.sparse,
          isPartial: definition.partialFilter !== undefined,
          direction: plan.backwards ? 'backward' : 'forward',
          boundedFields: plan.boundedFields,
          intervals: plan.intervals.length,
        },
      };
    }
  }
}
