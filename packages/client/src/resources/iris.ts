import { executingCall } from '../executing.ts';
import type { Transport } from '../transport.ts';

export function createIris(transport: Transport) {
  return {
    /** Generates images. Each one is an `asset` item of the output. */
    generate: executingCall(transport, 'POST /iris/generate'),
    /** Generates a video. This takes minutes, and `progress` reports how far it is. */
    video: executingCall(transport, 'POST /iris/video'),
    /** Reads a `file`, an asset, or a URL: text, Markdown, and pages with the box of every word. */
    ocr: executingCall(transport, 'POST /iris/ocr'),
    /** Checks whether a file was generated on this platform, and whether its content matches a claim. */
    verify: executingCall(transport, 'POST /iris/verify'),
  };
}
