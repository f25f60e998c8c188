import { executing } from '../executing.ts';
import type { Transport } from '../transport.ts';

export function createIris(transport: Transport) {
  return {
    /** Makes images; each is an `asset` of the output. */
    generate: executing(transport, 'POST /iris/generate'),
    /** Makes a video. */
    video: executing(transport, 'POST /iris/video'),
    /** Reads a `file`, an asset or what lies at an address: text, Markdown, pages with every word and its box. */
    ocr: executing(transport, 'POST /iris/ocr'),
    /** Whether a file was made here, and shows what is claimed. */
    verify: executing(transport, 'POST /iris/verify'),
  };
}
