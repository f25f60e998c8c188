import {
  type AnswerDelta,
  belongsToText,
  isAnswerDelta,
  type LogEvent,
  type OutputItem,
  type RunningEvent,
} from '@chorus/contract';

type ItemEvent = Extract<RunningEvent, { type: 'output.item' }>;

/** Collects what an execution has shown since the last reset. A finished item replaces its deltas. */
export class ShownOutput {
  /** All deltas of an output item as one, by output index. */
  readonly #deltas = new Map<number, AnswerDelta>();
  readonly #items = new Map<number, ItemEvent>();

  add(event: LogEvent): void {
    if (isAnswerDelta(event)) {
      const held = this.#deltas.get(event.index);
      if (held === undefined || !joinDelta(held, event)) this.#deltas.set(event.index, copyOf(event));
    } else if (event.type === 'output.item') {
      this.#items.set(event.index, event);
    } else if (event.type === 'text.reset') {
      this.#deltas.clear();
      for (const [index, { item }] of this.#items) if (belongsToText(item)) this.#items.delete(index);
    }
  }

  /** Returns the output, ordered by index. */
  output(): OutputItem[] {
    const shown = new Map<number, OutputItem>();
    for (const [index, delta] of this.#deltas) if (saysSomething(delta)) shown.set(index, itemOf(delta));
    for (const [index, { item }] of this.#items) shown.set(index, item);
    return [...shown].sort(([one], [other]) => one - other).map(([, item]) => item);
  }

  /** Returns the fewest events that show the same output. */
  events(): (AnswerDelta | ItemEvent)[] {
    const deltas = [...this.#deltas.values()].filter(saysSomething).sort((one, other) => one.index - other.index);
    return [...deltas.map(copyOf), ...this.#items.values()];
  }
}

/** Appends a delta to an earlier one of the same item. Returns false if they do not belong together. */
export function joinDelta(held: LogEvent, next: AnswerDelta): boolean {
  if (held.type !== next.type || held.index !== next.index) return false;
  if (held.type === 'tool_call.delta') {
    if (next.type === 'tool_call.delta') held.arguments_delta += next.arguments_delta;
  } else if (next.type !== 'tool_call.delta') {
    held.delta += next.delta;
    if (held.type === 'text.delta' && next.type === 'text.delta' && next.logprobs) {
      held.logprobs ??= [];
      for (const logprob of next.logprobs) held.logprobs.push(logprob);
    }
  }
  return true;
}

/** Copies a delta, so that others can be merged into it. */
export function copyOf(delta: AnswerDelta): AnswerDelta {
  return delta.type === 'text.delta' && delta.logprobs ? { ...delta, logprobs: [...delta.logprobs] } : { ...delta };
}

/** Approximate size of a token's log probability in JSON. */
const LOGPROB_BYTES = 64;

/** Returns the approximate size of a delta. */
export function sizeOf(delta: AnswerDelta): number {
  if (delta.type === 'tool_call.delta') return delta.arguments_delta.length;
  if (delta.type !== 'text.delta' || delta.logprobs === undefined) return delta.delta.length;
  const logprobs = delta.logprobs.reduce((sum, { top_logprobs }) => sum + 1 + top_logprobs.length, 0);
  return delta.delta.length + LOGPROB_BYTES * logprobs;
}

function saysSomething(delta: AnswerDelta): boolean {
  return delta.type === 'tool_call.delta' || delta.delta !== '';
}

function itemOf(event: AnswerDelta): OutputItem {
  switch (event.type) {
    case 'text.delta':
      return { type: 'text', text: event.delta, ...(event.logprobs && { logprobs: event.logprobs }) };
    case 'reasoning.delta':
      return { type: 'reasoning', text: event.delta };
    case 'refusal.delta':
      return { type: 'refusal', refusal: event.delta };
    case 'tool_call.delta':
      return {
        type: 'tool_call',
        id: event.id,
        name: event.name,
        arguments: event.arguments_delta,
        status: 'requested',
        result: null,
        started_at: null,
        finished_at: null,
      };
    default:
      throw event satisfies never;
  }
}
