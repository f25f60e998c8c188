import { callOptions } from './client-options.ts';
import { type ClientTools, declareTools, runTool } from './client-tools.ts';
import type { ExecutingBody, ExecutingCall } from './executing.ts';
import { type RequestedCall, toolCallsOf } from './execution-progress.ts';
import type { FollowOptions } from './follow.ts';
import type { ChatExecution, StreamFrame } from './generated/api-types.ts';
import type { Without } from './operations.ts';
import { Deadline } from './timing.ts';

type Turn = ExecutingBody<'POST /chat/completions'>;

/** A chat turn without the fields that the run itself sends. */
export type ToolTurn = Without<Turn, 'tools' | 'tool_outputs'>;

export interface RunToolsOptions extends FollowOptions {
  /** The tools, by name. */
  tools: ClientTools;
  /** Maximum number of answers that call tools. The next one must not. Default: 8. */
  maxSteps?: number | undefined;
  /** Maximum number of concurrent calls of one answer. Default: 4. */
  parallel?: number | undefined;
  /** Called with every event, for a caller that only waits. */
  onEvent?: ((event: ToolRunEvent) => void) | undefined;
}

/** A call that your program ran. */
export interface FinishedCall {
  /** Index of the answer that made the call, from 0. */
  step: number;
  call: RequestedCall;
  /** Result that the model received. */
  output: string;
  /** Error that the tool threw, or the mistake in the call. Null if it succeeded. */
  error: unknown;
  ms: number;
}

export type ToolRunEvent =
  /** A frame of the answer that is being written. */
  | { type: 'frame'; step: number; frame: StreamFrame }
  | { type: 'call.started'; step: number; call: RequestedCall }
  | ({ type: 'call.finished' } & FinishedCall)
  /** An answer has ended. It may request calls. */
  | { type: 'step.finished'; step: number; execution: ChatExecution };

export interface ToolRunResult {
  /** The last answer. It may have failed: see `succeeded`. */
  execution: ChatExecution;
  /** All calls, in the order of the model. */
  calls: FinishedCall[];
  /** Whether `maxSteps` was reached. */
  limited: boolean;
}

/**
 * A chat turn whose tools run in your program. Read it once: as events, or to the end with `done`.
 *
 * Leaving the loop aborts running tools. The session may then wait for tool results: send them, or regenerate the
 * answer.
 */
export class ToolRun implements AsyncIterable<ToolRunEvent> {
  readonly #send: ExecutingCall<Turn, ChatExecution>;
  readonly #turn: ToolTurn;
  readonly #options: RunToolsOptions;
  readonly #calls: FinishedCall[] = [];
  #result: ToolRunResult | null = null;
  #isRead = false;

  constructor(send: ExecutingCall<Turn, ChatExecution>, turn: ToolTurn, options: RunToolsOptions) {
    this.#send = send;
    this.#turn = turn;
    this.#options = options;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ToolRunEvent> {
    if (this.#isRead) throw new TypeError('A run of tools can only be read once.');
    this.#isRead = true;
    const deadline = new Deadline(this.#options.signal, 'The run of tools took too long.');
    try {
      for await (const event of this.#steps(deadline.signal)) {
        this.#options.onEvent?.(event);
        yield event;
      }
    } finally {
      deadline.abort(new Error('The run of tools is no longer read.'));
      deadline.close();
    }
  }

  /** Reads to the end. */
  async done(): Promise<ToolRunResult> {
    if (this.#result === null) for await (const _ of this);
    return this.#result as ToolRunResult;
  }

  async *#steps(signal: AbortSignal): AsyncGenerator<ToolRunEvent> {
    const { maxSteps = 8, onConnection } = this.#options;
    const call = { ...callOptions(this.#options), signal, onConnection };
    const tools = declareTools(this.#options.tools);
    let turn: Turn = this.#turn;
    for (let step = 0; ; step++) {
      const limited = step >= maxSteps;
      // A forced call only applies to the first answer. Otherwise the turn would never end.
      const tool_choice = limited ? 'none' : step === 0 ? this.#turn.tool_choice : undefined;
      const stream = this.#send.stream({ ...turn, tools, tool_choice }, call);
      for await (const frame of stream) yield { type: 'frame', step, frame };
      const execution = (await stream.done()) as ChatExecution;
      yield { type: 'step.finished', step, execution };
      const calls = execution.status === 'succeeded' ? toolCallsOf(execution) : [];
      if (calls.length === 0 || limited) {
        this.#result = { execution, calls: this.#calls, limited };
        return;
      }
      const finished = yield* this.#run(step, calls, signal);
      this.#calls.push(...finished);
      turn = nextTurn(turn, execution, finished);
    }
  }

  /** Runs the calls of an answer. Returns them in their order. */
  async *#run(
    step: number,
    calls: readonly RequestedCall[],
    signal: AbortSignal,
  ): AsyncGenerator<ToolRunEvent, FinishedCall[]> {
    const { tools, parallel = 4 } = this.#options;
    const finished: FinishedCall[] = [];
    const events: ToolRunEvent[] = [];
    let wake = () => {};
    const emit = (event: ToolRunEvent) => {
      events.push(event);
      wake();
    };
    const next = calls.entries();
    const work = async () => {
      for (const [index, call] of next) {
        emit({ type: 'call.started', step, call });
        const startedAt = performance.now();
        const outcome = await runTool(tools, call, signal);
        const done = { step, call, ...outcome, ms: Math.round(performance.now() - startedAt) };
        finished[index] = done;
        emit({ type: 'call.finished', ...done });
      }
    };
    let running = true;
    const all = Promise.all(Array.from({ length: Math.max(1, parallel) }, work)).finally(() => {
      running = false;
      wake();
    });
    all.catch(() => undefined); // thrown below
    while (running || events.length > 0) {
      const event = events.shift();
      if (event !== undefined) yield event;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
    await all;
    return finished;
  }
}

/** Returns the request that continues the turn with the results of its calls. */
function nextTurn(turn: Turn, execution: ChatExecution, finished: readonly FinishedCall[]): Turn {
  if (turn.messages !== undefined) {
    const answer = execution.choices.map(({ message }) => message);
    const results = finished.map(({ call, output }) => ({
      role: 'tool' as const,
      tool_call_id: call.id,
      content: output,
    }));
    return { ...turn, messages: [...turn.messages, ...answer, ...results] };
  }
  const { message: _message, attachments: _attachments, regenerate_from: _from, ...rest } = turn;
  const tool_outputs = finished.map(({ call, output }) => ({ tool_call_id: call.id, output }));
  return { ...rest, session_id: execution.session_id ?? undefined, tool_outputs };
}
