import { hostname } from 'node:os';
import type { Document } from 'bson';
import { readPipeline } from '../aggregate/pipeline.ts';
import { badValue, commandNotFound, illegalOperation } from '../errors.ts';
import type { Plan } from '../plan/planner.ts';
import type { Query, QueryRequest } from '../plan/query.ts';
import { refuseCollation } from '../storage/index-definition.ts';
import {
  arrayField,
  type CommandContext,
  documentField,
  eachPortion,
  filterField,
  findCollection,
  scopeOf,
} from './command.ts';
import { buildInfo } from './diagnostics.ts';
import { checkFields } from './fields.ts';
import { readQuery } from './find.ts';

const VERBOSITIES = ['queryPlanner', 'executionStats', 'allPlansExecution'];

/** `explain` of find, count, distinct, aggregate, update, delete and findAndModify: the plan, and what it looked at. */
export function* explain(context: CommandContext): Generator<undefined, Document> {
  const { database, store } = context;
  const { verbosity = 'allPlansExecution' } = context.command;
  if (!VERBOSITIES.includes(verbosity)) {
    throw badValue(`Enumeration value '${verbosity}' for field 'explain.verbosity' is not a valid value.`);
  }
  const command = documentField(context.command, 'explain');
  if (!command) throw badValue('explain needs the command to explain');
  const name = Object.keys(command)[0] ?? '';
  checkFields(name, command);
  refuseCollation(command.collation);
  const collection = findCollection({ ...context, name, command });
  const { request, stage, rest = [], ...opened } = explained(context, name, command);
  const query = opened.query ?? store.openQuery(collection, request);
  const { version, gitVersion } = buildInfo();
  const answer: Document = {
    explainVersion: '1',
    queryPlanner: {
      namespace: `${database}.${String(command[name])}`,
      indexFilterSet: false,
      parsedQuery: request.filter,
      winningPlan: describe(query, request, stage),
      rejectedPlans: [],
    },
    command,
    serverInfo: { host: hostname(), port: 0, version, gitVersion },
    serverParameters: {},
  };
  if (verbosity === 'queryPlanner') return inStages(answer, rest);
  const started = Date.now();
  let nReturned = 0;
  yield* eachPortion(context, query.source, (portion) => {
    nReturned += portion.length;
  });
  const executionTimeMillis = Date.now() - started;
  answer.executionStats = {
    executionSuccess: true,
    nReturned,
    executionTimeMillis,
    totalKeysExamined: query.counts.keysExamined,
    totalDocsExamined: query.counts.documentsExamined,
    executionStages: {
      ...answer.queryPlanner.winningPlan,
      nReturned,
      executionTimeMillisEstimate: executionTimeMillis,
    },
    allPlansExecution: verbosity === 'allPlansExecution' ? [] : undefined,
  };
  return inStages(answer, rest);
}

/** The answer for a pipeline of which not all is one query: the query, then the stages that follow it. */
function inStages({ queryPlanner, executionStats, ...answer }: Document, rest: readonly Document[]): Document {
  if (rest.length === 0) return { ...answer, queryPlanner, executionStats };
  const $cursor = executionStats ? { queryPlanner, executionStats } : { queryPlanner };
  return { ...answer, stages: [{ $cursor }, ...rest] };
}

/** The query of a command that can be explained, and the stage that stands above it. */
function explained(
  context: CommandContext,
  name: string,
  command: Document,
): { request: QueryRequest; stage?: Document | undefined; query?: Query; rest?: Document[] } {
  const { hint } = command;
  const scope = scopeOf(command);
  const filter = filterField(command, 'query');
  switch (name) {
    case 'find': {
      const projection = documentField(command, 'projection');
      return {
        request: readQuery(command),
        stage: projection && { stage: 'PROJECTION_SIMPLE', transformBy: projection },
      };
    }
    case 'count':
      return { request: { filter, scope, hint }, stage: { stage: 'COUNT' } };
    case 'distinct':
      return { request: { filter, scope, hint } };
    case 'findAndModify': {
      const request = { filter, scope, sort: documentField(command, 'sort'), limit: 1, hint };
      return { request, stage: { stage: command.remove ? 'DELETE' : 'UPDATE' } };
    }
    case 'update':
    case 'delete': {
      const { q = {}, hint } = (arrayField(command, `${name}s`)[0] ?? {}) as Document;
      return { request: { filter: q, scope, hint }, stage: { stage: name.toUpperCase() } };
    }
    case 'aggregate':
      return readPipeline(context.store, context.database, command).explain(hint);
    default:
      if (context.isCommand(name)) throw illegalOperation(`Cannot explain cmd: ${name}`);
      throw commandNotFound(`Explain failed due to unknown command: ${name}`);
  }
}

/** The stages of a query, the last one outermost. */
function describe(
  { plan, blockingSort }: Query,
  { filter, sort, skip, limit }: QueryRequest,
  last?: Document,
): Document {
  const stages: (Document | undefined | false)[] = [
    blockingSort && { stage: 'SORT', sortPattern: sort, memLimit: 104_857_600, type: 'simple' },
    Boolean(skip) && { stage: 'SKIP', skipAmount: skip },
    Boolean(limit) && { stage: 'LIMIT', limitAmount: limit },
    last,
  ];
  return stages.reduce<Document>(
    (inputStage, stage) => (stage ? { ...stage, inputStage } : inputStage),
    describePlan(plan, filter),
  );
}

function describePlan(plan: Plan, filter: Document): Document {
  switch (plan.kind) {
    case 'nothing':
      return { stage: 'EOF' };
    case 'id':
      return { stage: 'IDHACK' };
    case 'collection':
      return { stage: 'COLLSCAN', filter, direction: plan.backwards ? 'backward' : 'forward' };
    case 'union': {
      const inputStages = plan.branches.map((branch) => describePlan(branch, {}));
      return { stage: 'FETCH', filter, inputStage: { stage: 'OR', inputStages } };
    }
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
          indexVersion: 2,
          direction: plan.backwards ? 'backward' : 'forward',
          boundedFields: plan.boundedFields,
          intervals: plan.intervals.length,
        },
      };
    }
  }
}
