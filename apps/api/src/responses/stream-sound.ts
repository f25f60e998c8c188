import { pipeline } from 'node:stream/promises';
import { type AssetFacts, ChorusError, SPEECH_TYPES, type SpeechFormat } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import type { EventReader } from '@chorus/events';
import { follow } from '@chorus/executions';
import type { ScopedContext } from '../http/request-context.ts';
import { drained, onDisconnect } from './event-stream.ts';
import { answerFailure } from './openai-style.ts';

/**
 * Streams the audio of a voice turn as it is generated. A failure before the first byte is an error response.
 * Later failures, and lost or reset audio, close the connection. Without audio in the events, the stored asset
 * is sent.
 */
export async function streamSound(
  context: ScopedContext,
  record: ExecutionRecord,
  reader: EventReader,
  format: SpeechFormat,
): Promise<void> {
  const { response, services, owner } = context;
  const { database, eventLog } = services;
  const connected = onDisconnect(context, () => reader.close());
  response.setHeader('X-Execution-ID', record.id);
  if (record.session_id !== null) response.setHeader('X-Session-ID', record.session_id);
  const sound = new AudioWriter(context, SPEECH_TYPES[format].stream);
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
  readonly #type: string;
  #bytes = 0;
  /** Whether some of the audio is missing from the events. */
  #lost = false;

  constructor(context: ScopedContext, type: string) {
    this.#context = context;
    this.#type = type;
  }

  async send(offset: number, bytes: Buffer): Promise<void> {
    const { response } = this.#context;
    if (offset !== this.#bytes) this.#markLost();
    if (this.#lost || response.destroyed) return;
    this.#begin(this.#type);
    this.#bytes += bytes.length;
    if (!response.write(bytes)) await drained(response);
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
    if (this.#bytes > 0) return void (ended.status === 'succeeded' ? response.end() : response.destroy());
    if (ended.status !== 'succeeded') return answerFailure(this.#context, ended);
    const [item] = ended.output.filter(({ type }) => type === 'asset');
    if (item?.type !== 'asset') throw new ChorusError('not_found', 'The audio has been deleted.');
    await this.#sendFile(item.asset);
  }

  async #sendFile(asset: AssetFacts): Promise<void> {
    const { response, services } = this.#context;
    const body = await services.assets.read(asset);
    response.setHeader('Content-Length', asset.size_bytes);
    this.#begin(asset.mime_type);
    await pipeline(body, response).catch((error) => {
      if (!response.destroyed) throw error;
    });
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
