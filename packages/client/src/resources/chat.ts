import type { CallOptions } from '../client-options.ts';
import { executing } from '../executing.ts';
import type { Transport } from '../transport.ts';

export function createChat(transport: Transport) {
  const send = executing(transport, 'POST /chat/completions');
  return {
    /** Runs a turn, and waits for the answer. */
    send,
    /** Runs a turn, and follows the answer as it is written. */
    stream: send.stream,
    /** Begins a turn, and answers at once. */
    start: send.start,
    /** Whether turns can be run now. */
    health: (options?: CallOptions) => transport.request('GET /chat/health', {}, options),
  };
}
