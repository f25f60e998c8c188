import { isStoreUnavailable, KINDS, type KindsOf } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import type { Batches, OpenedProviders, PlannedRequest } from '@chorus/providers';
import type { Logger } from '@chorus/runtime/log';
import type { HandlersFor, JobContext } from '@chorus/worker-kit';

export type TextKind = KindsOf<'text'>;

/** Creates the handlers of the pool with other providers. */
export type HandlersWith = (providers: OpenedProviders) => HandlersFor<'text'>;

interface Planning {
  handlersWith: HandlersWith;
  providers: OpenedProviders;
  batches: Batches;
  log: Logger;
}

/** Ends a handler at its first call of a model. */
class Planned extends Error {
  readonly request: PlannedRequest | null;

  constructor(request: PlannedRequest | null) {
    super('planned');
    this.request = request;
  }
}

/**
 * Returns the request that an execution's handler would send. Null: a batch can't run it, or the handler fails before,
 * as it will again the normal way.
 */
export async function planRequest(
  { handlersWith, providers, batches, log }: Planning,
  execution: ExecutionRecord,
  signal: AbortSignal,
): Promise<PlannedRequest | null> {
  const kind = execution.kind as TextKind;
  const parsed = KINDS[kind].input.safeParse(execution.input);
  if (!parsed.success) return null;
  const handlers = handlersWith({
    ...providers,
    // biome-ignore lint/correctness/useYield: it only throws.
    async *streamChat(call) {
      throw new Planned(await batches.planChat(call));
    },
    async embedTexts(call) {
      throw new Planned(await batches.planEmbedding(call));
    },
  });
  const run = handlers[kind].run as (context: JobContext<TextKind>) => Promise<unknown>;
  try {
    await run(contextOf(execution, parsed.data, signal, log));
    return null;
  } catch (error) {
    if (error instanceof Planned) return error.request;
    if (isStoreUnavailable(error) || signal.aborted) throw error;
    return null;
  }
}

/** Shows and stores nothing. */
function contextOf(
  { id, owner, attempt }: ExecutionRecord,
  input: JobContext<TextKind>['input'],
  signal: AbortSignal,
  log: Logger,
): JobContext<TextKind> {
  const unused = () => {
    throw new Error('Planning does not wait');
  };
  return {
    input,
    owner,
    executionId: id,
    caller: { executionId: id, user: owner.user_id, isBatch: true },
    attempt,
    signal,
    log,
    emit: () => undefined,
    note: () => undefined,
    checkpoint: { value: null, save: async () => undefined },
    place: { isWanted: async () => false, giveBack: unused },
    decisions: { made: [], wait: unused },
    output: () => [],
  };
}
