import { readChunks } from './read-chunks.ts';

/** The lines of an answer as they come; empty ones, and one that broke off, are left out. */
export async function* readLines(response: Response, idleMs: number, signal?: AbortSignal): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  // One line may be megabytes and come in thousands of pieces, so pieces are joined once.
  let pieces: string[] = [];
  for await (const chunk of readChunks(response, idleMs, signal)) {
    const [head = '', ...more] = decoder.decode(chunk, { stream: true }).split('\n');
    pieces.push(head);
    for (const next of more) {
      const line = pieces.join('');
      pieces = [next];
      if (line.trim() !== '') yield line;
    }
  }
}
