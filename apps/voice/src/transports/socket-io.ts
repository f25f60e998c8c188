import { createServer, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { ChorusError, REALTIME_LIMITS } from '@chorus/contract';
import { Server, type Socket } from 'socket.io';
import { boundedParser } from './bounded-parser.ts';
import type { VoiceConnection, Wire } from './voice-connection.ts';

/** How long a client may take to say hello, in milliseconds. */
const HELLO_MS = 10_000;
/** How long a goodbye may take, in milliseconds. */
const CLOSE_MS = 5_000;

/** socket.io clients: each event of the protocol by its name, with the same object as payload. The websocket transport alone. */
export class SocketIoSockets {
  readonly #server: Server;
  readonly #opening = new WeakMap<IncomingMessage, (wire: Wire) => VoiceConnection>();

  /** @param pingMs as for the raw sockets */
  constructor(pingMs: number) {
    this.#server = new Server({
      transports: ['websocket'],
      serveClient: false,
      perMessageDeflate: false,
      maxHttpBufferSize: REALTIME_LIMITS.frameBytes,
      pingInterval: pingMs,
      pingTimeout: pingMs,
      connectTimeout: HELLO_MS,
      parser: boundedParser,
    });
    // The engine wants a server to listen at. Requests come by `accept`, once they were admitted; this one never listens.
    this.#server.attach(createServer());
    this.#server.on('connection', (socket) => this.#connect(socket));
  }

  /** @param open makes the connection over a wire, once the client has said hello */
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
    // Whoever leaves the namespace and comes again on the same line would be a second conversation in one place.
    this.#opening.delete(socket.request);
    const connection = open(new SocketIoWire(socket));
    // Each frame, pieces of events with bytes among them.
    socket.conn.on('packet', ({ data }: { data?: string | Buffer }) => void connection.arrived(data?.length ?? 0));
    socket.onAny((name: string, ...sent: unknown[]) => {
      const answer = sent.at(-1);
      const mistake = connection.receive(eventOf(name, sent[0]));
      if (typeof answer === 'function') answer(mistake === null ? { ok: true } : { ok: false, error: mistake });
    });
    // What could not be decoded ends the socket; the client hears why.
    socket.on('error', (error: unknown) => {
      if (!(error instanceof ChorusError)) return;
      connection.mistake({ code: error.code, message: error.message, param: null, event_id: null });
    });
    socket.on('disconnect', () => {
      void connection.gone();
      socket.conn.close();
    });
  }
}

/** An event as the raw sockets have it. Sound may be the payload itself, as bytes. */
function eventOf(type: string, payload: unknown): unknown {
  if (payload instanceof Uint8Array && type === 'input_audio_buffer.append') return { type, audio: payload };
  return typeof payload === 'object' ? { ...payload, type } : { type };
}

class SocketIoWire implements Wire {
  readonly #socket: Socket;
  /** Handed to the engine, and not yet by it to the connection; in bytes, or nearly. */
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
    // Sound is by far the most, and need not be written out for this.
    const sound = event.type === 'response.output_audio.delta';
    this.#queued += sound ? event.delta.length : JSON.stringify(event).length;
    this.#socket.emit(event.type, event);
  }

  /** The protocol has no codes: they come as an event of their own, before the end. */
  close(code: number, reason: string): void {
    this.#socket.emit('closing', { code, reason });
    const line = this.#socket.request.socket;
    const cut = setTimeout(() => line.destroy(), CLOSE_MS);
    line.once('close', () => clearTimeout(cut));
    this.#socket.disconnect(true);
  }
}
