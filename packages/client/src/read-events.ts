import { createParser } from 'eventsource-parser';
import { readChunks } from './read-chunks.ts';

/** One event may hold the text of a book. */
const MAX_EVENT_CHARS = 128 * 1024 * 1024;

/** An event of a `text/event-stream`. */
export interface RawEvent {
  /** Where to go on behind it; null: the one before holds. */
  id: string | null;
  data: string;
}

/** The events of an answer, as they come. */
export async function* readEvents(response: Response, idleMs: number, signal?: AbortSignal): AsyncGenerator<RawEvent> {
  const events: RawEvent[] = [];
  const parser = createParser({
    onEvent: ({ id, data }) => events.push({ id: id ?? null, data }),
    maxBufferSize: MAX_EVENT_CHARS,
  });
  const decoder = new TextDecoder();
  for await (const chunk of readChunks(response, idleMs, signal)) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* events.splice(0);
  }
}
