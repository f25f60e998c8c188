import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type AssetFacts, ChorusError } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import type { EventReader } from '@chorus/events';
import { follow } from '@chorus/executions';
import type { ScopedContext } from '../http/request-context.ts';
import { drained, onDisconnect } from './event-stream.ts';
import { answerFailure } from './openai-style.ts';

/** How audio is written to a response. */
export interface SoundForm {
  /** `Content-Type` of audio from events. */
  readonly type: string;
  /** Wraps a chunk in a frame. Default: none. */
  frame?(bytes: Buffer): string;
  /** The last frame of audio in frames, also after a failure. Absent: a failure closes the connection. */
  end?(ended: ExecutionRecord): string;
}

/**
 * Streams the audio of an execution as it is generated. A failure before the first byte is an error response.
 * Later failures, and lost or reset audio, close the connection. Without audio in the events, the stored asset
 * is sent.
 */
export async function streamSound(
  context: ScopedContext,
  record: ExecutionRecord,
  reader: EventReader,
  form: SoundForm,
): Promise<void> {
  const { response, services, owner } = context;
  const { database, eventLog } = services;
  const connected = onDisconnect(context, () => reader.close());
  response.setHeader('X-Execution-ID', record.id);
  if (record.session_id !== null) response.setHeader('X-Session-ID', record.session_id);
  const sound = new AudioWriter(context, form);
  try {
    for (;;) {
      const step = await follow({ database, eventLog, owner, record, reader, events: true });
      if (step === null) return sound.breakOff();
      for (const { event } of step.running) {
        if (event.type === 'text.reset') sound.takeBack();
        else if (event.type === 'audio.delta') await sound.send(event.offset, Buffer.from(event.delta, 'base64'));
      }
      if ('ended' in step) return await sound.end(step.ended);
    }
  } finally {
    connected();
    reader.close();
  }
}

class AudioWriter {
  readonly #context: ScopedContext;
  readonly #form: SoundForm;
  #bytes = 0;
  /** Whether some of the audio is missing from the events. */
  #lost = false;

  constructor(context: ScopedContext, form: SoundForm) {
    this.#context = context;
    this.#form = form;
  }

  async send(offset: number, bytes: Buffer): Promise<void> {
    const { response } = this.#context;
    if (offset !== this.#bytes) this.#markLost();
    if (this.#lost || response.destroyed) return;
    this.#begin(this.#form.type);
    this.#bytes += bytes.length;
    if (!response.write(this.#form.frame?.(bytes) ?? bytes)) await drained(response);
  }

  takeBack(): void {
    if (this.#bytes > 0) this.#markLost();
  }

  /** Stops because the client disconnected or the process stops. */
  breakOff(): void {
    const { response } = this.#context;
    if (response.headersSent || response.destroyed) return void response.destroy();
    throw new ChorusError('overloaded', 'This process is stopping. The execution continues; get it by its id.', {
      retryAfterS: 1,
    });
  }

  async end(ended: ExecutionRecord): Promise<void> {
    const { response } = this.#context;
    if (response.destroyed) return;
    const last = this.#form.end?.(ended);
    if (this.#bytes > 0)
      return void (last !== undefined || ended.status === 'succeeded' ? response.end(last) : response.destroy());
    if (ended.status !== 'succeeded') return answerFailure(this.#context, ended);
    const [item] = ended.output.filter(({ type }) => type === 'asset');
    if (item?.type !== 'asset') throw new ChorusError('not_found', 'The audio has been deleted.');
    await this.#sendFile(item.asset, ended);
  }

  async #sendFile(asset: AssetFacts, ended: ExecutionRecord): Promise<void> {
    const { response, services } = this.#context;
    const body = await services.assets.read(asset);
    const isPlain = this.#form.frame === undefined;
    if (isPlain) response.setHeader('Content-Length', asset.size_bytes);
    this.#begin(isPlain ? asset.mime_type : this.#form.type);
    await pipeline(isPlain ? body : this.#frames(body, ended), response).catch((error) => {
      if (!response.destroyed) throw error;
    });
  }

  async *#frames(body: Readable, ended: ExecutionRecord): AsyncGenerator<Buffer | string> {
    const { frame, end } = this.#form;
    for await (const bytes of body as AsyncIterable<Buffer>) yield frame?.(bytes) ?? bytes;
    if (end) yield end(ended);
  }

  #markLost(): void {
    this.#lost = true;
    // The rest would play at the wrong position.
    if (this.#bytes > 0) this.#context.response.destroy();
  }

  #begin(type: string): void {
    const { response } = this.#context;
    if (response.headersSent) return;
    response.writeHead(200, { 'Content-Type': type, 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' });
  }
}
