import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** Longer lines are cut into pieces of this many characters, so that a process can't fill the supervisor's memory. */
const maxLineLength = 256 * 1024;

/** Calls `onLine` with each line of a stream, without its end; what follows the last line end counts when it closes. */
export function readLines(stream: Readable, onLine: (line: string) => void): void {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  stream.on('data', (chunk: Buffer) => {
    const pieces = (rest + decoder.write(chunk)).split('\n');
    rest = pieces.pop() ?? '';
    for (const line of pieces) onLine(line.endsWith('\r') ? line.slice(0, -1) : line);
    if (rest.length > maxLineLength) {
      onLine(rest);
      rest = '';
    }
  });
  stream.on('error', () => {}); // the process is gone; its end is reported elsewhere
  stream.on('close', () => {
    if (rest) onLine(rest);
    rest = '';
  });
}
