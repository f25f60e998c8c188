import type { RealtimeServerEvent } from '@chorus/contract';
import { poll } from './poll.ts';

/** Against hanging alone, in milliseconds. */
const NEXT_WITHIN_MS = 40_000;

type EventOf<Type> = Extract<RealtimeServerEvent, { type: Type }>;

/** A client of the voice socket as a browser has it: credential and scope go by subprotocol and query. */
export class VoiceClient {
  readonly told: RealtimeServerEvent[] = [];
  readonly #socket: WebSocket;
  #looked = 0;

  constructor(url: string, token: string, query: Record<string, string>) {
    const asked = new URLSearchParams({ scope_type: 'personal', ...query });
    this.#socket = new WebSocket(`${url.replace('http', 'ws')}/api/v1/voice/ws?${asked}`, [
      'realtime',
      `openai-insecure-api-key.${token}`,
    ]);
    this.#socket.onmessage = ({ data }) => this.told.push(JSON.parse(String(data)));
  }

  send(event: object): void {
    this.#socket.send(JSON.stringify(event));
  }

  /** Sound: 16 bits, 24,000 samples a second. */
  speak(...sounds: Uint8Array[]): void {
    this.send({ type: 'input_audio_buffer.append', audio: Buffer.concat(sounds).toString('base64') });
  }

  /** The next event of this type that was not asked for yet; those before it are passed over. */
  next<Type extends RealtimeServerEvent['type']>(type: Type): Promise<EventOf<Type>> {
    return poll(
      type,
      () => {
        for (; this.#looked < this.told.length; this.#looked += 1) {
          const event = this.told[this.#looked];
          if (event?.type !== type) continue;
          this.#looked += 1;
          return event as EventOf<Type>;
        }
        return null;
      },
      NEXT_WITHIN_MS,
    );
  }

  /** All that was said of the answers' text. */
  get words(): string {
    return this.told
      .map((event) => (event.type === 'response.output_audio_transcript.delta' ? event.delta : ''))
      .join('');
  }

  close(): void {
    this.#socket.close();
  }
}
