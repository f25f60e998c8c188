import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';

/** Loose, because tests inspect payloads of any shape. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export type Payload = any;

export interface Frame {
  id: number | null;
  /** Null for the end mark `[DONE]`. */
  data: Payload | null;
  at: number;
}

/** A `text/event-stream` on a separate connection, which can be cut at any moment. */
export class EventStream implements AsyncIterable<Frame> {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly #request: ClientRequest;
  readonly #response: IncomingMessage;

  private constructor(sent: ClientRequest, response: IncomingMessage) {
    this.#request = sent;
    this.#response = response;
    this.status = response.statusCode ?? 0;
    this.headers = response.headers;
  }

  static open(
    method: string,
    url: string,
    headers: Record<string, string>,
    body?: string,
    signal?: AbortSignal,
  ): Promise<EventStream> {
    return new Promise((resolve, reject) => {
      const sent = request(url, { method, headers, agent: false, ...(signal ? { signal } : {}) });
      sent.once('error', reject);
      sent.once('response', (response) => {
        // Later errors reach the body's reader.
        sent.on('error', () => undefined);
        resolve(new EventStream(sent, response));
      });
      sent.end(body);
    });
  }

  drop(): void {
    this.#response.on('error', () => undefined);
    this.#request.destroy();
  }

  /** Yields frames as they arrive. Throws when the connection breaks. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Frame, void, undefined> {
    let rest = '';
    this.#response.setEncoding('utf8');
    for await (const chunk of this.#response as AsyncIterable<string>) {
      const blocks = (rest + chunk).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const frame = parseFrame(block);
        if (frame) yield frame;
      }
    }
    if (rest !== '') throw new Error(`the stream ended inside a frame: ${rest.slice(0, 100)}`);
  }

  async frames(): Promise<Frame[]> {
    const frames: Frame[] = [];
    for await (const frame of this) frames.push(frame);
    return frames;
  }

  async text(): Promise<string> {
    let text = '';
    this.#response.setEncoding('utf8');
    for await (const chunk of this.#response as AsyncIterable<string>) text += chunk;
    return text;
  }
}

function parseFrame(block: string): Frame | null {
  let id: number | null = null;
  let data: string | null = null;
  for (const line of block.split('\n')) {
    if (line.startsWith('id: ')) id = Number(line.slice('id: '.length));
    else if (line.startsWith('data: ')) data = (data === null ? '' : `${data}\n`) + line.slice('data: '.length);
    else if (!line.startsWith(':') && line !== '') throw new Error(`invalid event stream line: ${line}`);
  }
  if (data === null) return null;
  return { id, data: data === '[DONE]' ? null : JSON.parse(data), at: performance.now() };
}
