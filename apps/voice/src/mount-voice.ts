import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { refusalOf } from '@chorus/accounts';
import { ChorusError, isRealtimePath, REALTIME_CLOSE_CODES, REALTIME_LIMITS, requestIdOf } from '@chorus/contract';
import { type Admitted, admit } from './admit.ts';
import { openConversation } from './conversation/open-conversation.ts';
import { openVoiceEngine } from './conversation/voice-engine.ts';
import type { Link } from './link.ts';
import { Penalties } from './penalties.ts';
import { Places } from './places.ts';
import { refuseUpgrade } from './refuse-upgrade.ts';
import { watchStanding } from './standing-watch.ts';
import { RawSockets } from './transports/raw-socket.ts';
import { SocketIoSockets } from './transports/socket-io.ts';
import { type ConnectionLimits, VoiceConnection, type Wire } from './transports/voice-connection.ts';
import type { VoiceServices } from './voice-services.ts';

/** How long it may take until somebody is let in or refused, in milliseconds. */
const ADMISSION_MS = 15_000;
/** How long all conversations may take to end when the process stops, in milliseconds. */
const LEAVE_MS = 5_000;

/** How often a client is asked whether it is still there, in milliseconds. */
const PING_MS = 15_000;
/** How long a user opens no socket after one was closed for flooding. */
const PENALTY_MS = 5_000;

/** What a client sends to open a socket (RFC 6455, section 4.1). */
const SOCKET_KEY = /^[+/0-9A-Za-z]{22}==$/;

/** The voice socket: takes over requests that want one. */
export interface VoiceSocket {
  /** Handles a request that wants to change the protocol; answers it whatever it is. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Ends every conversation and tells each client to connect again, here or elsewhere; lets nobody in any more. */
  close(): Promise<void>;
  /** Sockets that are open. */
  connections(): number;
}

export interface VoiceSocketOptions {
  /** How often a client is asked whether it is still there, in milliseconds. */
  pingMs?: number;
  /** In place of those of `REALTIME_LIMITS`. */
  limits?: Partial<ConnectionLimits>;
  /** How long a user opens no socket after one was closed for flooding. */
  penaltyMs?: number;
}

export function createVoiceSocket(
  services: VoiceServices,
  { pingMs = PING_MS, limits, penaltyMs = PENALTY_MS }: VoiceSocketOptions = {},
): VoiceSocket {
  const { log } = services;
  const places = new Places(services.config.voice.maxSockets);
  const penalties = new Penalties(penaltyMs);
  const raw = new RawSockets(pingMs);
  const socketIo = new SocketIoSockets(pingMs);
  const connections = new Set<VoiceConnection>();
  const engine = openVoiceEngine(services);
  let closing: Promise<void> | null = null;

  const enter = ({ caller, asked }: Admitted, socket: Duplex, wire: Wire): VoiceConnection => {
    const own = log.child({ request_id: caller.requestId });
    const open = (link: Link) => openConversation(services, engine, caller, asked, link);
    const connection = new VoiceConnection(wire, own, open, { ...REALTIME_LIMITS, ...limits });
    connections.add(connection);
    const stopWatching = watchStanding(services, caller, (error) => {
      connection.lastWord(error.code, error.message, 'invalid_request_error');
      void connection.leave('revoked', REALTIME_CLOSE_CODES.revoked, error.message);
    });
    socket.once('close', () => {
      stopWatching();
      connections.delete(connection);
      if (connection.flooded) penalties.note(caller.owner.user_id);
      void connection.gone();
    });
    return connection;
  };

  const serve = async (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const startedAt = performance.now();
    const requestId = requestIdOf(request.headers['x-request-id']) ?? randomUUID();
    const headers: Record<string, string> = {};
    // The line may break at any time, before anything else listens to it.
    socket.on('error', () => undefined);
    const late = setTimeout(() => socket.destroy(), ADMISSION_MS);
    try {
      const isSocketIo = checkProtocol(request);
      const admitted = await admit(services, request, requestId, (told) => Object.assign(headers, told));
      if (closing !== null)
        throw new ChorusError('overloaded', 'This process stops: connect again.', { retryAfterS: 1 });
      if (socket.destroyed) return;
      const { caller } = admitted;
      await penalties.check(caller.owner.user_id);
      if (socket.destroyed) return;
      const giveBack = await takePlaces(caller.owner.user_id, socket);
      socket.once('close', () => {
        giveBack();
        const duration_ms = Math.round(performance.now() - startedAt);
        log.info({ request_id: requestId, user_id: caller.credential.user.id, duration_ms }, 'voice socket closed');
      });
      if (socket.destroyed) return;
      const scope = caller.owner.workspace_id ?? caller.owner.scope;
      const key_id = caller.credential.key?.id;
      log.info({ request_id: requestId, user_id: caller.credential.user.id, key_id, scope }, 'voice socket opened');
      const transport = isSocketIo ? socketIo : raw;
      transport.accept(request, socket, head, (wire) => enter(admitted, socket, wire));
    } catch (thrown) {
      const error = refusalOf(thrown);
      if (error.code === 'internal_error') log.error({ err: thrown, request_id: requestId }, 'voice socket failed');
      else log.info({ request_id: requestId, status: error.status, error: error.code }, 'voice socket refused');
      refuseUpgrade(socket, error, { requestId, headers });
    } finally {
      clearTimeout(late);
    }
  };

  /** A place in this process, and one of the user's over all processes. Gives both back. */
  const takePlaces = async (userId: string, socket: Duplex): Promise<() => void> => {
    const leaveProcess = places.take(userId);
    const leaveUser = await services.userPlaces.take(userId, 'sockets').catch((error) => {
      leaveProcess();
      throw error;
    });
    const giveBack = () => {
      leaveProcess();
      leaveUser();
    };
    // The line may have broken meanwhile: nothing will tell of it again.
    if (socket.destroyed) giveBack();
    return giveBack;
  };

  const leave = async () => {
    const ended = [...connections].map((connection) => {
      connection.lastWord('shutting_down', 'This process stops. Connect again with the same session_id to go on.');
      return connection.leave('shutdown', REALTIME_CLOSE_CODES.goingAway, 'This process stops: connect again.');
    });
    const late = sleep(LEAVE_MS, undefined, { ref: false });
    await Promise.race([Promise.all(ended), late]);
    engine.close();
    raw.stop();
    socketIo.stop();
  };

  return {
    upgrade: (request, socket, head) => void serve(request, socket, head),
    close: () => {
      closing ??= leave();
      return closing;
    },
    connections: () => places.taken,
  };
}

/** Serves the voice socket on a server; requests for other paths go where they went before. */
export function mountVoice(
  server: Server | SecureServer,
  services: VoiceServices,
  options?: VoiceSocketOptions,
): Omit<VoiceSocket, 'upgrade'> {
  const voice = createVoiceSocket(services, options);
  server.on('upgrade', voice.upgrade);
  return voice;
}

/**
 * Whether a socket is asked for by socket.io's protocol.
 *
 * @throws {ChorusError} route_not_found for another path, invalid_request for what is neither protocol
 */
function checkProtocol(request: IncomingMessage): boolean {
  if (!isRealtimePath(request.url ?? '')) throw new ChorusError('route_not_found', 'There is no such socket.');
  const query = new URL(request.url ?? '/', 'http://localhost').searchParams;
  const isSocketIo = query.has('EIO');
  const known = query.get('EIO') === '4' && query.get('transport') === 'websocket' && !query.has('sid');
  if (isSocketIo && !known)
    throw notSpoken('socket.io is spoken as EIO=4 with transport=websocket, from the beginning.');
  const { upgrade, 'sec-websocket-version': version, 'sec-websocket-key': key } = request.headers;
  const opens = request.method === 'GET' && upgrade?.toLowerCase() === 'websocket' && version === '13';
  if (!opens || key === undefined || !SOCKET_KEY.test(key))
    throw notSpoken(
      'A socket is opened by GET, Upgrade: websocket, Sec-WebSocket-Version: 13 and a Sec-WebSocket-Key.',
    );
  return isSocketIo;
}

function notSpoken(message: string): ChorusError {
  return new ChorusError('invalid_request', message);
}
