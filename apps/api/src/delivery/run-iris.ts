import { type Execution, JOBS } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import { type IrisKind, type IrisRequests, type PlanParts, planIris } from '@chorus/iris';
import type { ScopedContext } from '../http/request-context.ts';
import type { Services } from '../services.ts';
import { checkAddress } from './check-address.ts';
import { runWork } from './run-work.ts';

/** What planning asks for. */
export function planParts({
  database,
  registry,
  config,
}: Pick<Services, 'database' | 'registry' | 'config'>): PlanParts {
  return { assets: database.assets, workers: () => registry.recentWorkers(), defaults: config.iris };
}

/** Runs a request of one of the kinds of Iris, and answers the way the caller chose. */
export async function runIris<K extends IrisKind>(
  context: ScopedContext,
  kind: K,
  request: IrisRequests[K],
): Promise<Execution | undefined> {
  const { services, owner } = context;
  if ('url' in request && request.url !== undefined) checkAddress(services, request.url, 'body.url');
  const { model, input } = await planIris(planParts(services), kind, owner, request);
  return runWork(context, { kind, model, prepare: () => ({ input }) }, request);
}

/** The same work again, for a new execution. */
export function repeatedIris(record: ExecutionRecord & { kind: IrisKind }) {
  const input = JOBS[record.kind].input.parse(record.input);
  return { kind: record.kind, model: record.model, prepare: () => ({ input }) };
}
