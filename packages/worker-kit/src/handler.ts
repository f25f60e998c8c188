import {
  type CallSpending,
  type ConversationContext,
  isJobKind,
  isStoreUnavailable,
  type JobInput,
  type JobKind,
  type JobOutput,
  KINDS,
  type KindsOf,
  type ModelRecord,
  type OutputItem,
  type Owner,
  type Pool,
  type RunningEvent,
  type Usage,
} from '@chorus/contract';
import type { ApprovalRecord } from '@chorus/database';
import type { Logger } from '@chorus/runtime/log';
import { backoff, retryWhile } from '@chorus/runtime/timing';

/** State for the next attempt in case this one dies. Keep it small: each save stores all of it. */
export interface Checkpoint {
  /** The last saved value, possibly from an earlier attempt. Null: none. Plain JSON: parse it. */
  readonly value: unknown;
  /**
   * Resolves once it is stored. Throws the signal's reason if this attempt has lost the execution.
   *
   * `advances`: some work is done that no other attempt will repeat. This resets the count of dead workers, so that
   * long work may survive several. Work that kills its worker must never advance.
   */
  save(value: unknown, options?: { advances?: boolean }): Promise<void>;
}

/** A call that needs a person's decision. */
export type CallToDecide = Pick<ApprovalRecord, 'tool_call_id' | 'name'>;

export interface Decisions {
  /** Decisions about calls that were made before this attempt began. */
  readonly made: readonly ApprovalRecord[];
  /** Ends this attempt by throwing. Another one continues from the checkpoint once all these calls are decided. */
  wait(calls: readonly CallToDecide[]): never;
}

/** How an attempt continues after an earlier one. */
export interface Continuation<Item = OutputItem> {
  /** Whether the shown output must be discarded first. */
  resets: boolean;
  /** Events to show after that. */
  events: RunningEvent<Item>[];
}

export interface Place {
  /**
   * Returns whether this job has used up its time slice and another user is waiting. If so, save progress and give
   * the place back. Cheap: asks Redis at most once a second.
   * @param setupMs Time that the next attempt needs to get this far. The place is kept for at least twice as long.
   */
  isWanted(setupMs?: number): Promise<boolean>;
  /** Ends this attempt by throwing. The next one starts at the job's next turn, from the checkpoint. */
  giveBack(): never;
}

/** Facts about an execution that is running. */
export interface Known {
  model?: string;
  provider?: string;
  /** Of this attempt, with what its checkpoint holds. */
  usage?: Usage;
  /**
   * Returns the part of the usage so far that no checkpoint holds, so that another attempt would not know it. It is
   * counted even if this attempt breaks. The next checkpoint must hold it. Null: none.
   */
  unsaved?: (() => Usage) | null;
  context?: ConversationContext;
  warnings?: string[];
}

/** All work of a handler must stop when `signal` aborts, and close what it opened. */
/** For whom a provider is called. */
export interface Caller {
  executionId: string;
  user: string;
  /** Whether the calls have no waiting caller, as in a batch. */
  isBatch: boolean;
  /** Absent: the execution has no budget. */
  spending?: CallSpending;
}

export interface JobContext<K extends JobKind> {
  readonly input: JobInput<K>;
  readonly owner: Owner;
  readonly executionId: string;
  /** For calls to providers. */
  readonly caller: Caller;
  /** 1, or more after an attempt that died or was handed back. */
  readonly attempt: number;
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** Publishes an event. If it returns a promise, await it: Redis is slower than the handler. */
  emit(event: RunningEvent<JobOutput<K>>): Promise<void> | undefined;
  /** Records facts such as model and usage early, so that failed and cancelled executions have them too. */
  note(known: Known): void;
  readonly checkpoint: Checkpoint;
  readonly place: Place;
  readonly decisions: Decisions;
  /** Returns the output shown since the last reset: finished items, and unfinished ones as far as their deltas go. */
  output(): JobOutput<K>[];
}

export interface JobResult<Item = OutputItem> {
  output: Item[];
  usage: Usage;
  model: string | null;
  provider: string | null;
  finish_reason: string | null;
  /** The text of `stop` that ended the answer, if the provider reports it. */
  stop_sequence?: string;
  /** The part of the conversation that the model received, if not all of it. */
  context?: ConversationContext;
  warnings?: string[];
}

export interface Handler<K extends JobKind> {
  run(context: JobContext<K>): Promise<JobResult<JobOutput<K>>>;
  /**
   * Models that the handler runs itself, such as `embedded/lanczos`. The pool lists them with the kind's
   * capability.
   */
  readonly models?: readonly string[];
  /** Whether another attempt may discard shown text. Default: yes. */
  mayReset?(input: JobInput<K>): boolean;
  /**
   * Decides how an attempt with a checkpoint continues. Absent: it starts over.
   * @param shown Output shown by the earlier attempt.
   */
  continueFrom?(checkpoint: unknown, shown: readonly OutputItem[]): Continuation<JobOutput<K>>;
}

export type HandlersFor<P extends Pool> = { [K in KindsOf<P>]: Handler<K> };

type Factories<P extends Pool> = { [K in KindsOf<P>]: (parts: never) => Handler<K> };
type TakesParts<F> = F extends (parts: infer Parts) => unknown ? (parts: Parts) => void : never;
type PartsOf<F> = TakesParts<F[keyof F]> extends (parts: infer All) => void ? All : never;

/** Creates the handlers of a pool from the exports of its `handlers/index.ts`. A missing kind does not compile. */
export function createHandlers<P extends Pool, F extends Factories<P>>(
  _pool: P,
  factories: F,
  parts: PartsOf<F>,
): HandlersFor<P> {
  const made = Object.entries<(parts: never) => unknown>(factories).map(([kind, create]) => [
    kind,
    create(parts as never),
  ]);
  return Object.fromEntries(made);
}

export function modelsOf(handlers: Partial<Record<JobKind, Pick<Handler<JobKind>, 'models'>>>): ModelRecord[] {
  return Object.entries(handlers).flatMap(([kind, { models = [] }]) => {
    const capability = isJobKind(kind) ? KINDS[kind].capability : null;
    return models.map((id) => ({
      id,
      object: 'model' as const,
      created: 0,
      owned_by: id.split('/', 1)[0] as string,
      capabilities: capability === null ? [] : [capability],
      context_window: null,
    }));
  });
}

/**
 * Why an attempt stops before its handler has finished.
 *
 * `cancelled` and `timeout` end the execution. `handback` gives the job to another worker, since this one shuts
 * down. `yield` gives the place to another user's job until the next turn. `suspended`: it waits for decisions.
 * `refused`: another attempt has the execution, or it has ended.
 */
export type StopKind = 'cancelled' | 'timeout' | 'handback' | 'yield' | 'suspended' | 'refused';

export class Stop extends Error {
  readonly kind: StopKind;

  constructor(kind: StopKind) {
    super(`stopped: ${kind}`);
    this.name = 'Stop';
    this.kind = kind;
  }
}

/**
 * Retries a repeatable step while the store is down, so that paid work survives its restart. Gives up after a
 * minute.
 * @param mayRepeat Called before each retry.
 */
export const persist = <T>(step: () => Promise<T>, mayRepeat: () => boolean = () => true): Promise<T> =>
  retryWhile((error) => isStoreUnavailable(error) && mayRepeat(), step, {
    pausesMs: backoff(50, 2_000),
    deadlineMs: 60_000,
  });
