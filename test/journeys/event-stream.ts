import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';

/** A frame's payload. Loose, since tests look into frames of any shape. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export type Payload = any;

export interface Frame {
  /** The `id:` line. */
  id: number | null;
  /** The parsed `data:`; null for the end mark `[DONE]`. */
  data: Payload | null;
  /** When it was read, by `performance.now()`. */
  at: number;
}

/** A `text/event-stream` on a connection of its own, which can be left at any moment. */
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

  /** Sends the request and waits for the answer's head. */
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
        // Errors after the head reach whoever reads the body.
        sent.on('error', () => undefined);
        resolve(new EventStream(sent, response));
      });
      sent.end(body);
    });
  }

  /** Cuts the connection. */
  drop(): void {
    this.#response.on('error', () => undefined);
    this.#request.destroy();
  }

  /** The frames as they come. Throws when the connection is cut. */
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

  /** All frames up to the end of the answer. */
  async frames(): Promise<Frame[]> {
    const frames: Frame[] = [];
    for await (const frame of this) frames.push(frame);
    return frames;
  }

  /** The whole body as text, for answers that are no event streams. */
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
    else if (!line.startsWith(':') && line !== '') throw new Error(`not a line of an event stream: ${line}`);
  }
  if (data === null) return null;
  return { id, data: data === '[DONE]' ? null : JSON.parse(data), at: performance.now() };
}
