import { pipeline } from 'node:stream/promises';
import { type AssetFacts, ChorusError, SPEECH_TYPES, type SpeechFormat } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import type { EventReader } from '@chorus/events';
import { follow } from '@chorus/executions';
import type { ScopedContext } from '../http/request-context.ts';
import { answerFailure } from './answer-failure.ts';
import { drained } from './event-stream.ts';

/**
 * Answers with the sound of a voice turn as it is made. What fails before the first sound is an error answer; afterwards, and where sound was taken back or is lost, only
 * cutting the connection tells. Where the events have none (they are gone, or were not asked for), it is the asset that is sent.
 */
export async function streamSound(
  context: ScopedContext,
  record: ExecutionRecord,
  reader: EventReader,
  format: SpeechFormat,
): Promise<void> {
  const { response, services, owner } = context;
  const { database, eventLog } = services;
  const close = () => reader.close();
  response.once('close', close);
  const closed = services.streams.open(close);
  if (response.destroyed) close();
  response.setHeader('X-Execution-ID', record.id);
  if (record.session_id !== null) response.setHeader('X-Session-ID', record.session_id);
  const sound = new SentSound(context, SPEECH_TYPES[format].stream);
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
    response.off('close', close);
    closed();
    reader.close();
  }
}

class SentSound {
  readonly #context: ScopedContext;
  readonly #type: string;
  #bytes = 0;
  /** Whether some of it can't be had from the events. */
  #lost = false;

  constructor(context: ScopedContext, type: string) {
    this.#context = context;
    this.#type = type;
  }

  async send(offset: number, bytes: Buffer): Promise<void> {
    const { response } = this.#context;
    if (offset !== this.#bytes) this.#loose();
    if (this.#lost || response.destroyed) return;
    this.#begin(this.#type);
    this.#bytes += bytes.length;
    if (!response.write(bytes)) await drained(response);
  }

  takeBack(): void {
    if (this.#bytes > 0) this.#loose();
  }

  /** The client went, or the process stops. */
  breakOff(): void {
    const { response } = this.#context;
    if (response.headersSent || response.destroyed) return void response.destroy();
    throw new ChorusError('overloaded', 'This process stops; the execution goes on and can be asked for.', {
      retryAfterS: 1,
    });
  }

  async end(ended: ExecutionRecord): Promise<void> {
    const { response } = this.#context;
    if (response.destroyed) return;
    if (this.#bytes > 0) return void (ended.status === 'succeeded' ? response.end() : response.destroy());
    if (ended.status !== 'succeeded') return answerFailure(response, ended);
    const [item] = ended.output.filter(({ type }) => type === 'asset');
    if (item?.type !== 'asset') throw new ChorusError('not_found', 'The sound is gone.');
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

  #loose(): void {
    this.#lost = true;
    // Who has heard a part would hear the rest at the wrong place.
    if (this.#bytes > 0) this.#context.response.destroy();
  }

  #begin(type: string): void {
    const { response } = this.#context;
    if (response.headersSent) return;
    response.writeHead(200, { 'Content-Type': type, 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' });
  }
}
