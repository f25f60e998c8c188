import type { IncomingMessage } from 'node:http';
import { heavyTurn } from './heavy-turn.ts';

/**
 * Takes a large body piece by piece, each in its turn. A socket that is full would otherwise give megabytes at once, and a few of them hold up everybody else.
 *
 * Only for a body that is read by `data` events, not for one that is piped.
 *
 * @returns reads on as it comes
 */
export function readGently(request: IncomingMessage): () => void {
  let isFirst = true;
  const onData = () => {
    // Most bodies are one piece.
    if (isFirst || request.complete) {
      isFirst = false;
      return;
    }
    request.pause();
    void heavyTurn().then(() => request.resume());
  };
  request.on('data', onData);
  return () => request.off('data', onData);
}
