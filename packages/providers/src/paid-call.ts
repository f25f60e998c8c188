import type { Demand, Usage } from '@chorus/contract';
import type { CallOptions } from './provider-port.ts';
import { mostCostOf } from './usage/most-cost.ts';

/**
 * A call that reserves the most that it can cost before its first request is sent, and reports its usage if it ends
 * before its provider does.
 */
class PaidCall<Options extends CallOptions> {
  readonly options: Options;
  readonly #given: Options;
  /** The amount that is reserved. Null: no request was sent. Requests of one call may run at once. */
  #mostUsd: Promise<number> | null = null;
  #isSent = false;

  constructor(options: Options, demand: () => Demand) {
    const { spending, onRequest, onUnfinished } = options;
    const reserve = async () => {
      const mostUsd = mostCostOf(demand()) ?? 0;
      await spending?.reserve(mostUsd);
      return mostUsd;
    };
    this.#given = options;
    this.options = {
      ...options,
      onRequest: async () => {
        this.#mostUsd ??= reserve();
        await this.#mostUsd;
        await onRequest?.();
        this.#isSent = true;
      },
      onUnfinished: (usage: Usage) => {
        this.end(usage.cost_usd);
        onUnfinished?.(usage);
      },
    };
  }

  /** Counts the cost of the call. Null: unknown, so the most that it can be. */
  end(costUsd: number | null): void {
    const { spending } = this.#given;
    this.#mostUsd?.then((mostUsd) => spending?.ended(mostUsd, costUsd)).catch(() => undefined); // it was refused
    this.#mostUsd = null;
  }

  /**
   * Counts a call that has failed. Providers charge for what they began to answer.
   *
   * @param estimate of the usage. Absent: the call reports it itself
   */
  fail(hasAnswered: boolean, estimate?: () => Usage): void {
    const mayCost = hasAnswered || this.#given.signal.aborted;
    if (mayCost && this.#isSent && estimate !== undefined) this.options.onUnfinished?.(estimate());
    else this.end(mayCost ? null : 0);
  }
}

/** Runs a call within the budgets of its execution. @param estimate returns its usage if it is cancelled */
export async function payFor<Options extends CallOptions, T extends { usage: Usage }>(
  options: Options,
  demand: () => Demand,
  estimate: () => Usage,
  call: (options: Options) => Promise<T>,
): Promise<T> {
  if (options.spending === undefined && options.onUnfinished === undefined) return call(options);
  const paid = new PaidCall(options, demand);
  try {
    const result = await call(paid.options);
    paid.end(result.usage.cost_usd);
    return result;
  } catch (error) {
    paid.fail(false, estimate);
    throw error;
  }
}

/** Like `payFor`, for an answer in parts. @param costOf returns the cost, if a part has it */
export async function* payForStream<Options extends CallOptions, Part>(
  options: Options,
  demand: () => Demand,
  stream: (options: Options) => AsyncIterable<Part>,
  costOf: (part: Part) => number | null | undefined,
  estimate?: () => Usage,
): AsyncGenerator<Part, void, undefined> {
  const paid = new PaidCall(options, demand);
  let hasAnswered = false;
  let hasEnded = false;
  try {
    for await (const part of stream(paid.options)) {
      hasAnswered = true;
      const cost = costOf(part);
      if (cost !== undefined) paid.end(cost);
      yield part;
    }
    hasEnded = true;
  } finally {
    if (hasEnded) paid.end(null);
    else paid.fail(hasAnswered, estimate);
  }
}
