import { hostname } from 'node:os';
import type { Document } from 'bson';
import { readPipeline } from '../aggregate/pipeline.ts';
import { badValue, commandNotFound, illegalOperation } from '../errors.ts';
import type { Plan } from '../plan/planner.ts';
import { openQuery, type Query, type QueryRequest } from '../plan/query.ts';
import { rejectCollation } from '../storage/index-definition.ts';
import type { Steps } from '../storage/scheduler.ts';
import {
  arrayField,
  type CommandContext,
  checkFields,
  documentField,
  filterField,
  findCollection,
  forEachChunk,
  scopeOf,
} from './command.ts';
import { VERSION } from './diagnostics.ts';
import { readQuery } from './find.ts';

const VERBOSITIES = ['queryPlanner', 'executionStats', 'allPlansExecution'];

export function* explain(context: CommandContext): Steps<Document> {
  const { verbosity = 'allPlansExecution' } = context.command;
  if (!VERBOSITIES.includes(verbosity)) {
    throw badValue(`Enumeration value '${verbosity}' for field 'explain.verbosity' is not a valid value.`);
  }
  const command = documentField(context.command, 'explain');
  if (!command) throw badValue('explain needs a command');
  const name = Object.keys(command)[0] ?? '';
  checkFields(name, command);
  rejectCollation(command.collation);
  const collection = findCollection({ ...context, name, command });
  const { request, stage, rest = [], ...opened } = explained(context, name, command);
  const query = opened.query ?? openQuery(collection, request);
  const winningPlan = describe(query, request, stage);
  const namespace = `${context.database}.${String(command[name])}`;
  const found: Document = { queryPlanner: { namespace, parsedQuery: request.filter, winningPlan, rejectedPlans: [] } };
  if (verbosity !== 'queryPlanner') {
    const started = Date.now();
    let nReturned = 0;
    yield* forEachChunk(context, query.source, (chunk) => {
      nReturned += chunk.length;
    });
    found.executionStats = {
      executionSuccess: true,
      nReturned,
      executionTimeMillis: Date.now() - started,
      totalKeysExamined: query.counts.keysExamined,
      totalDocsExamined: query.counts.documentsExamined,
      executionStages: { ...winningPlan, nReturned },
      allPlansExecution: verbosity === 'allPlansExecution' ? [] : undefined,
    };
  }
  const reply = { explainVersion: '1', command, serverInfo: { host: hostname(), port: 0, version: VERSION } };
  // A pipeline that is more than one query is explained as the query and the remaining stages.
  return rest.length > 0 ? { ...reply, stages: [{ $cursor: found }, ...rest] } : { ...reply, ...found };
}

interface Explained {
  request: QueryRequest;
  stage?: string | undefined;
  query?: Query;
  rest?: Document[];
}

function explained(context: CommandContext, name: string, command: Document): Explained {
  const { hint } = command;
  const scope = scopeOf(command);
  const filter = filterField(command, 'query');
  switch (name) {
    case 'find':
      return { request: readQuery(command), stage: command.projection && 'PROJECTION_SIMPLE' };
    case 'count':
      return { request: { filter, scope, hint }, stage: 'COUNT' };
    case 'distinct':
      return { request: { filter, scope, hint } };
    case 'findAndModify': {
      const request = { filter, scope, sort: documentField(command, 'sort'), limit: 1, hint };
      return { request, stage: command.remove ? 'DELETE' : 'UPDATE' };
    }
    case 'update':
    case 'delete': {
      const { q = {}, hint } = (arrayField(command, `${name}s`)[0] ?? {}) as Document;
      return { request: { filter: q, scope, hint }, stage: name.toUpperCase() };
    }
    case 'aggregate':
      return readPipeline(context.store, context.database, command).explain(hint);
    default:
      if (context.isCommand(name)) throw illegalOperation(`Cannot explain cmd: ${name}`);
      throw commandNotFound(`Explain failed due to unknown command: ${name}`);
  }
}

function describe({ plan, blockingSort }: Query, { filter, sort, skip, limit }: QueryRequest, last?: string): Document {
  let described = describePlan(plan, filter);
  const over = (stage: string, more: Document = {}): void => {
    described = { stage, ...more, inputStage: described };
  };
  if (blockingSort) over('SORT', { sortPattern: sort });
  if (skip) over('SKIP', { skipAmount: skip });
  if (limit) over('LIMIT', { limitAmount: limit });
  if (last) over(last);
  return described;
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
      const { definition, multikey: isMultiKey } = plan.index;
      const inputStage = {
        stage: 'IXSCAN',
        keyPattern: definition.specification.key,
        indexName: definition.name,
        isMultiKey,
        isUnique: definition.unique,
        isSparse: definition.sparse,
        isPartial: definition.partialFilter !== undefined,
        direction: plan.backwards ? 'backward' : 'forward',
      };
      return { stage: 'FETCH', filter: plan.exact ? undefined : filter, inputStage };
    }
  }
}
