import type { Demand, Usage } from '@chorus/contract';
import type { CallOptions } from './provider-port.ts';
import { mostCostOf } from './usage/most-cost.ts';

/** A call that reserves the most that it can cost before its first request is sent. */
class PaidCall<Options extends CallOptions> {
  readonly options: Options;
  readonly #given: Options;
  /** Null: nothing is reserved. */
  #mostUsd: number | null = null;

  constructor(options: Options, demand: () => Demand) {
    const { spending, onRequest, onUnfinished } = options;
    const reserve = async () => {
      if (this.#mostUsd === null) {
        const mostUsd = mostCostOf(demand()) ?? 0;
        await spending?.reserve(mostUsd);
        this.#mostUsd = mostUsd;
      }
      await onRequest?.();
    };
    this.#given = options;
    const countUnfinished = (usage: Usage) => {
      this.end(usage.cost_usd);
      onUnfinished?.(usage);
    };
    this.options = { ...options, onRequest: reserve, onUnfinished: countUnfinished };
  }

  /** Counts what the call has cost. Null: unknown, so the most that it can have cost. */
  end(costUsd: number | null): void {
    if (this.#mostUsd !== null) this.#given.spending?.ended(this.#mostUsd, costUsd);
    this.#mostUsd = null;
  }

  /** Counts a call that has failed. Providers charge for what they began to answer. */
  fail(hasAnswered: boolean): void {
    this.end(hasAnswered || this.#given.signal.aborted ? null : 0);
  }
}

/** Runs a call within the budgets of its execution. */
export async function payFor<Options extends CallOptions, T extends { usage: Usage }>(
  options: Options,
  demand: () => Demand,
  call: (options: Options) => Promise<T>,
): Promise<T> {
  if (options.spending === undefined) return call(options);
  const paid = new PaidCall(options, demand);
  try {
    const result = await call(paid.options);
    paid.end(result.usage.cost_usd);
    return result;
  } catch (error) {
    paid.fail(false);
    throw error;
  }
}

/** Like `payFor`, for an answer in parts. @param costOf returns the cost, if a part has it */
export async function* payForStream<Options extends CallOptions, Part>(
  options: Options,
  demand: () => Demand,
  stream: (options: Options) => AsyncIterable<Part>,
  costOf: (part: Part) => number | null | undefined,
): AsyncGenerator<Part, void, undefined> {
  const paid = new PaidCall(options, demand);
  let hasAnswered = false;
  try {
    for await (const part of stream(paid.options)) {
      hasAnswered = true;
      const cost = costOf(part);
      if (cost !== undefined) paid.end(cost);
      yield part;
    }
  } finally {
    paid.fail(hasAnswered);
  }
}
