import type { CallOptions } from '../client-options.ts';
import { executingCall } from '../executing.ts';
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
    /** Starts a turn and returns the queued execution at once. */
    start: send.start,
    /** Returns the state of the store, Redis, pools, and models. */
    health: (options?: CallOptions) => transport.request('GET /chat/health', {}, options),
  };
}
