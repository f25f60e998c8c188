import { randomBytes } from 'node:crypto';
import type { AgentTool } from '@chorus/agent-tools';
import { chatCompletion, citationItem, type JobOutput, type ToolCallItem, type Usage, usage } from '@chorus/contract';
import { NO_USAGE, sumUsage } from '@chorus/providers/usage';
import type { Checkpoint, JobContext } from '@chorus/worker-kit';
import { z } from 'zod';

export type AgentItem = JobOutput<typeof chatCompletion.kind>;

/** A chat turn, or a response. */
export type AgentJob = Omit<JobContext<typeof chatCompletion.kind>, 'input'>;

/** Documents that the turn may use, as the model sees them. */
const promptSources = z.object({ rules: z.string(), block: z.string() });

/** The state of a turn after its last finished step, as its checkpoint keeps it. */
const agentProgress = z.object({
  /** Marks the bounds of results in the prompt. Their authors cannot know it. */
  fence: z.string(),
  /** All shown items, by index. */
  items: z.array(chatCompletion.output).max(10_000),
  /** Answers of the model that called tools. */
  steps: z.int(),
  usage,
  /** The known part of the cost. */
  cost_usd: z.number(),
  /** Passages that the answer may cite, by their number from 1. */
  passages: z.array(citationItem).max(10_000),
  /** The binding of the tool that a call was made for, by the call's index. */
  bindings: z.record(z.string(), z.string()).default({}),
  sources: promptSources.nullable(),
});
type AgentProgress = z.infer<typeof agentProgress>;

const fresh = (): AgentProgress => ({
  fence: randomBytes(8).toString('hex'),
  items: [],
  steps: 0,
  usage: NO_USAGE,
  cost_usd: 0,
  passages: [],
  bindings: {},
  sources: null,
});

/** Returns the items that a checkpoint keeps. */
export function savedItems(checkpoint: unknown): AgentItem[] {
  return agentProgress.parse(checkpoint).items;
}

/** A turn's progress. Each change of a call is saved before and after it runs. */
export class AgentState {
  readonly #checkpoint: Checkpoint;
  readonly #progress: AgentProgress;
  #saving: Promise<void> = Promise.resolve();
  /** The next save, which will store all changes made until it starts. */
  #next: Promise<void> | null = null;
  #advances = false;
  /** Calls that are saved as started, and that this attempt has yet to run. */
  readonly #begun = new Set<number>();

  constructor(checkpoint: Checkpoint) {
    this.#checkpoint = checkpoint;
    this.#progress = checkpoint.value === null ? fresh() : agentProgress.parse(checkpoint.value);
  }

  get fence(): string {
    return this.#progress.fence;
  }

  get items(): readonly AgentItem[] {
    return this.#progress.items;
  }

  get steps(): number {
    return this.#progress.steps;
  }

  get usage(): Usage {
    return this.#progress.usage;
  }

  get costUsd(): number {
    return this.#progress.cost_usd;
  }

  get sources(): AgentProgress['sources'] {
    return this.#progress.sources;
  }

  set sources(sources: z.infer<typeof promptSources>) {
    this.#progress.sources = sources;
  }

  get passages(): AgentProgress['passages'] {
    return this.#progress.passages;
  }

  /** Adds items at the end. Returns the index of the first. */
  add(...items: AgentItem[]): number {
    return this.#progress.items.push(...items) - items.length;
  }

  endStep(): void {
    this.#progress.steps += 1;
  }

  spend(used: Usage): void {
    const { usage: before } = this.#progress;
    // The cost of nothing is unknown, and so would be the sum.
    const isNothing = before.total_tokens === 0 && before.cost_usd === null;
    this.#progress.usage = isNothing ? used : sumUsage(before, used);
    this.#progress.cost_usd += used.cost_usd ?? 0;
  }

  /** Counts costs of other executions, only toward the limit of the turn. */
  spendElsewhere(usd: number): void {
    this.#progress.cost_usd += usd;
  }

  /**
   * Returns the calls of the last step that called tools, with their indexes. Before the first step, those that a
   * response's caller has approved, which have no step.
   */
  lastCalls(): { index: number; call: ToolCallItem }[] {
    return this.items.flatMap((item, index) =>
      item.type === 'tool_call' && (item.step ?? -1) === this.steps - 1 ? [{ index, call: item }] : [],
    );
  }

  /** Binds a call to its tool. An approval holds for that tool only. */
  bind(index: number, { binding }: Pick<AgentTool, 'binding'>): void {
    this.#progress.bindings[index] = binding;
  }

  /** Marks a call that is added as started, so that it needs no save before it runs. */
  begin(index: number): void {
    this.#begun.add(index);
  }

  isBegun(index: number): boolean {
    return this.#begun.has(index);
  }

  isFor(index: number, tool: Pick<AgentTool, 'binding'> | undefined): boolean {
    return tool !== undefined && this.#progress.bindings[index] === tool.binding;
  }

  /** Changes a call. Returns its item. */
  change(index: number, change: Partial<ToolCallItem>): ToolCallItem {
    const changed = { ...(this.items[index] as ToolCallItem), ...change };
    this.#progress.items[index] = changed;
    return changed;
  }

  /**
   * Stores the progress. Saves requested while another one runs become one.
   * @param advances whether an answer or a call has ended
   */
  save({ advances = false } = {}): Promise<void> {
    this.#advances ||= advances;
    this.#next ??= this.#saving.then(() => {
      this.#next = null;
      const options = { advances: this.#advances };
      this.#advances = false;
      const { items, passages, bindings, ...others } = this.#progress;
      this.#saving = this.#checkpoint.save(
        { ...others, items: [...items], passages: [...passages], bindings: { ...bindings } },
        options,
      );
      return this.#saving;
    });
    return this.#next;
  }
}
