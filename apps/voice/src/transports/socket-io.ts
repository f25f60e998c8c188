import { createServer, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { ChorusError, REALTIME_LIMITS } from '@chorus/contract';
import { Server, type Socket } from 'socket.io';
import { boundedParser } from './bounded-parser.ts';
import type { VoiceConnection, Wire } from './voice-connection.ts';

const HANDSHAKE_TIMEOUT_MS = 10_000;
const CLOSE_TIMEOUT_MS = 5_000;

/** Serves socket.io clients over WebSocket: events by name, with the same payload. */
export class SocketIoSockets {
  readonly #server: Server;
  readonly #opening = new WeakMap<IncomingMessage, (wire: Wire) => VoiceConnection>();

  constructor(pingMs: number) {
    this.#server = new Server({
      transports: ['websocket'],
      serveClient: false,
      perMessageDeflate: false,
      maxHttpBufferSize: REALTIME_LIMITS.frameBytes,
      pingInterval: pingMs,
      pingTimeout: pingMs,
      connectTimeout: HANDSHAKE_TIMEOUT_MS,
      parser: boundedParser,
    });
    // The engine requires a server, but requests arrive only through `accept`.
    this.#server.attach(createServer());
    this.#server.on('connection', (socket) => this.#connect(socket));
  }

  accept(request: IncomingMessage, socket: Duplex, head: Buffer, open: (wire: Wire) => VoiceConnection): void {
    this.#opening.set(request, open);
    this.#server.engine.handleUpgrade(request, socket, head);
  }

  stop(): void {
    void this.#server.close();
  }

  #connect(socket: Socket): void {
    const open = this.#opening.get(socket.request);
    if (open === undefined) return void socket.disconnect(true);
    // Rejoining the namespace on one connection would open a second conversation.
    this.#opening.delete(socket.request);
    const connection = open(new SocketIoWire(socket));
    // Called for each frame, attachments included.
    socket.conn.on('packet', ({ data }: { data?: string | Buffer }) => void connection.countBytes(data?.length ?? 0));
    socket.onAny((name: string, ...sent: unknown[]) => {
      const answer = sent.at(-1);
      const mistake = connection.receive(eventOf(name, sent[0]));
      if (typeof answer === 'function') answer(mistake === null ? { ok: true } : { ok: false, error: mistake });
    });
    // A decoding error closes the socket with a reason.
    socket.on('error', (error: unknown) => {
      if (!(error instanceof ChorusError)) return;
      connection.reportMistake({ code: error.code, message: error.message, param: null, event_id: null });
    });
    socket.on('disconnect', () => {
      void connection.onDisconnect();
      socket.conn.close();
    });
  }
}

/** Converts to an event of the raw protocol. Audio may be sent as a binary payload. */
function eventOf(type: string, payload: unknown): unknown {
  if (payload instanceof Uint8Array && type === 'input_audio_buffer.append') return { type, audio: payload };
  return typeof payload === 'object' ? { ...payload, type } : { type };
}

class SocketIoWire implements Wire {
  readonly #socket: Socket;
  /** Approximate bytes that the engine has not yet written to the connection. */
  #queued = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.conn.on('drain', () => {
      this.#queued = 0;
    });
  }

  get behindBytes(): number {
    return this.#queued + this.#socket.request.socket.writableLength;
  }

  send(event: Parameters<Wire['send']>[0]): void {
    // Estimates the size of audio, which is most of the traffic, without serializing it.
    const sound = event.type === 'response.output_audio.delta';
    this.#queued += sound ? event.delta.length : JSON.stringify(event).length;
    this.#socket.emit(event.type, event);
  }

  /** socket.io has no close codes: sends them as an event first. */
  close(code: number, reason: string): void {
    this.#socket.emit('closing', { code, reason });
    const line = this.#socket.request.socket;
    const cut = setTimeout(() => line.destroy(), CLOSE_TIMEOUT_MS);
    line.once('close', () => clearTimeout(cut));
    this.#socket.disconnect(true);
  }
}
