import type { ScopedContext } from '../http/request-context.ts';
import { drained } from '../responses/event-stream.ts';

/** A client that reads nothing for this long is disconnected. */
const WRITE_TIMEOUT_MS = 60_000;

/** Answers with content that is generated piece by piece. Waits for slow clients. */
export async function sendPieces(
  { response }: ScopedContext,
  { type, disposition }: { type: string; disposition: string },
  pieces: AsyncIterable<string | Uint8Array>,
): Promise<void> {
  response.writeHead(200, {
    'Content-Type': type,
    'Content-Disposition': disposition,
    'Cache-Control': 'no-cache, no-transform',
    'X-Accel-Buffering': 'no',
  });
  response.setTimeout(WRITE_TIMEOUT_MS, () => response.destroy());
  for await (const piece of pieces) {
    if (response.destroyed) return;
    if (!response.write(piece)) await drained(response);
  }
  response.end();
}
