import type {
  ConversationContext,
  JobInput,
  JobKind,
  KindsOf,
  OutputItem,
  Owner,
  Pool,
  RunningEvent,
  Usage,
} from '@chorus/contract';
import type { Logger } from '@chorus/log';

/** What an attempt leaves for the next one, should it die. Kept with the execution and shown to nobody; small: it is stored each time. */
export interface Checkpoint {
  /** What was saved last, by this attempt or an earlier one; null: nothing yet. Plain JSON: parse it. */
  readonly value: unknown;
  /** Resolves once it is stored. Throws the signal's reason when this attempt has lost the execution. */
  save(value: unknown): Promise<void>;
}

/** The place that a job holds among those that run. */
export interface Place {
  /**
   * Whether this job has run for its slice and somebody else waits for a place. Cheap: Redis is asked once a second at most.
   * A handler that is told so keeps what it has done and gives the place back.
   *
   * @param setupMs what the next attempt takes to get this far again: the place is kept for twice as long at least
   */
  isWanted(setupMs?: number): Promise<boolean>;
  /** Ends this attempt by throwing. The next one begins at the job's next turn and goes on from what was kept. */
  giveBack(): never;
}

/** What a handler gets. Whatever it does must stop when `signal` aborts, and close what it opened. */
export interface JobContext<K extends JobKind> {
  readonly input: JobInput<K>;
  readonly owner: Owner;
  readonly executionId: string;
  /** 1, or more when an earlier attempt died or was handed back. */
  readonly attempt: number;
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** Shows an event to whoever follows. Await it when it returns a promise: Redis is slower than you. */
  emit(event: RunningEvent): Promise<void> | undefined;
  /** Says what is known before the end (model, usage), so that a failed or cancelled execution tells it too. */
  note(known: {
    model?: string;
    provider?: string;
    usage?: Usage;
    context?: ConversationContext;
    warnings?: string[];
  }): void;
  readonly checkpoint: Checkpoint;
  /** For work that can go on later from what it has kept. */
  readonly place: Place;
  /** The text shown so far in one output item, as the deltas since the last reset give it. */
  text(index?: number): string;
}

export interface JobResult {
  output: OutputItem[];
  usage: Usage;
  model: string | null;
  provider: string | null;
  /** Why the model stopped, in OpenAI's words. */
  finish_reason: string | null;
  /** What the model was shown, where that was not all there is. */
  context?: ConversationContext;
  /** What was asked for and left out or done otherwise, a sentence each, for the user. */
  warnings?: string[];
}

export interface Handler<K extends JobKind> {
  run(context: JobContext<K>): Promise<JobResult>;
  /** Whether text that was shown may be taken back, when another attempt takes over. Absent: yes. */
  mayReset?(input: JobInput<K>): boolean;
}

/** The handlers of one pool: a missing or a spare one does not compile. */
export type HandlersFor<P extends Pool> = { [K in KindsOf<P>]: Handler<K> };
