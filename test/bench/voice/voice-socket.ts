import type { RealtimeServerEvent } from '@chorus/contract';
import type { BenchPlatform } from '../platform.ts';

type ReceivedEvent = RealtimeServerEvent & { at: number };

export class VoiceSocket {
  readonly received: ReceivedEvent[] = [];
  readonly #socket: WebSocket;
  #wake = () => {};

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.onmessage = ({ data }) => {
      this.received.push({ ...JSON.parse(String(data)), at: performance.now() });
      this.#wake();
    };
  }

  static async open({ api, headers }: BenchPlatform, model: string, session: object): Promise<VoiceSocket> {
    const query = new URLSearchParams({ scope_type: 'personal', model });
    const token = headers.authorization?.replace('Bearer ', '');
    const socket = new VoiceSocket(
      new WebSocket(`${api.replace('http', 'ws')}/voice/ws?${query}`, ['realtime', `openai-insecure-api-key.${token}`]),
    );
    await socket.first('session.created', 0);
    socket.send({ type: 'session.update', session });
    return socket;
  }

  send(event: object): void {
    this.#socket.send(JSON.stringify(event));
  }

  speak(pcm: Uint8Array): void {
    this.send({ type: 'input_audio_buffer.append', audio: Buffer.from(pcm).toString('base64') });
  }

  write(text: string): void {
    const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
    this.send({ type: 'conversation.item.create', item });
    this.send({ type: 'response.create' });
  }

  /**
   * Returns the arrival time of the first such event behind the first `after` ones. Throws on an error event
   * and after a minute.
   */
  async first(type: RealtimeServerEvent['type'], after: number): Promise<ReceivedEvent> {
    for (let at = after; ; ) {
      for (; at < this.received.length; at += 1) {
        const event = this.received[at] as ReceivedEvent;
        if (event.type === type) return event;
        if (event.type === 'error') throw new Error(event.error.message);
      }
      await new Promise<void>((resolve, reject) => {
        this.#wake = resolve;
        setTimeout(() => reject(new Error(`no ${type} within a minute`)), 60_000).unref();
      });
    }
  }

  close(): void {
    this.#socket.close();
  }
}
