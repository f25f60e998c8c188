import type { CallOptions } from '../client-options.ts';
import { executingCall } from '../executing.ts';
import { type RunToolsOptions, ToolRun, type ToolTurn } from '../tool-run.ts';
import type { Transport } from '../transport.ts';

export function createChat(transport: Transport) {
  const send = executingCall(transport, 'POST /chat/completions');
  return {
    /**
     * Runs a turn and waits for the answer. `send.stream` and `send.start` are the other two ways.
     */
    send,
    /** Runs a turn and streams the answer while it is written. */
    stream: send.stream,
    /** Starts a turn and returns the queued execution immediately. */
    start: send.start,
    /**
     * Runs a turn with tools of your program: asks the model, runs the tools that it calls, and sends their results,
     * until it answers without calls.
     *
     * @example
     * const { execution } = await chorus.chat.runTools({ message: 'Rain in Oslo?' }, { tools: { weather } }).done();
     */
    runTools: (turn: ToolTurn, options: RunToolsOptions) => new ToolRun(send, turn, options),
    /** Returns the state of the store, Redis, pools, and models. */
    health: (options?: CallOptions) => transport.request('GET /chat/health', {}, options),
  };
}
