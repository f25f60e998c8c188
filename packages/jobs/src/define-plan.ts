import { type JobInput, type JobKind, KINDS, type Owner, type WorkerHealth } from '@chorus/contract';
import type { AgentRecord, Database, ExecutionRecord } from '@chorus/database';
import type { Work } from '@chorus/executions';
import type { EntryStore, KnowledgeKeys } from '@chorus/knowledge';
import type { z } from 'zod';

export interface Requester {
  owner: Owner;
  /** The agent that the request names. */
  agent: AgentRecord | null;
  apiKeyId: string | null;
  requestId: string | null;
  /** Prefix of paths in errors, such as `body` or `body.items.17.body`. */
  path: string;
}

/** The requester of a batch item. */
export interface ItemRequester extends Requester {
  /** The failed or cancelled execution that this one repeats. */
  retryOf: string | null;
  /** The id of its execution, if an earlier attempt to start it may have stored something. */
  begunAs: string | null;
}

export interface JobServices extends Pick<EntryStore, 'blobs' | 'assets'> {
  database: Database;
  registry: { recentWorkers(): Promise<readonly WorkerHealth[]> };
  /** Default models. Null: the first model that a worker offers. */
  config: {
    chat: { defaultModel: string | null; titles: { model: string | null } };
    knowledge: { embeddingModel: string };
    iris: { imageModel: string | null; videoModel: string | null };
    voice: { speechModel: string | null; transcriptionModel: string | null };
  };
  outbound: { check(url: string): void };
  knowledgeKeys: KnowledgeKeys;
}

export interface JobPlan<K extends JobKind, Request = JobRequest<K>, W extends Work<K> = Work<K>> {
  readonly kind: K;
  /**
   * Plans a request: chooses the model and checks that the records it names exist.
   * @throws {ChorusError} `invalid_request`, `model_not_found`; `overloaded` while no worker of the pool is
   * known
   */
  plan(request: Request, requester: Requester, services: JobServices): Promise<W & { ignoredFields?: string[] }>;
  /** Plans a batch item; default: as a request. Its `begin` may run again with the same id after a crash. */
  planItem?(request: Request, requester: ItemRequester, services: JobServices): Promise<Work<K>>;
  /** Plans the work of a failed or cancelled execution again. */
  repeat(record: ExecutionRecord, requester: Requester, services: JobServices): Promise<Work<K>>;
}

export type JobRequest<K extends JobKind> = z.output<(typeof KINDS)[K]['request']>;

/** Declares how requests of a kind become jobs. Without `repeat`, a retry runs the same input. */
export function defineJobPlan<K extends JobKind, W extends Work<K>, Request = JobRequest<K>>(
  { kind }: { kind: K },
  {
    plan,
    planItem,
    repeat = sameInput(kind),
  }: Pick<JobPlan<K, Request, W>, 'plan' | 'planItem'> & Partial<Pick<JobPlan<K>, 'repeat'>>,
): JobPlan<K, Request, W> {
  return { kind, plan, repeat, ...(planItem && { planItem }) };
}

function sameInput<K extends JobKind>(kind: K): JobPlan<K>['repeat'] {
  return async (record) => {
    const input = KINDS[kind].input.parse(record.input) as JobInput<K> & { model?: string | null };
    return { kind, model: input.model ?? null, input };
  };
}
