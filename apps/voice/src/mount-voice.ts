import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import type { Duplex } from 'node:stream';
import { refusalOf } from '@chorus/accounts';
import { ChorusError, isRealtimePath, REALTIME_CLOSE_CODES, REALTIME_LIMITS, requestIdOf } from '@chorus/contract';
import { withTimeout } from '@chorus/runtime/timing';
import { type Admission, admit } from './admit.ts';
import { openConversation } from './conversation/open-conversation.ts';
import { openVoiceEngine } from './conversation/voice-engine.ts';
import type { Link } from './link.ts';
import { Penalties } from './penalties.ts';
import { refuseUpgrade } from './refuse-upgrade.ts';
import { SocketSlots } from './socket-slots.ts';
import { RawSockets } from './transports/raw-socket.ts';
import { SocketIoSockets } from './transports/socket-io.ts';
import { type ConnectionLimits, VoiceConnection, type Wire } from './transports/voice-connection.ts';
import type { VoiceServices } from './voice-services.ts';
import { watchAccess } from './watch-access.ts';

const ADMISSION_TIMEOUT_MS = 15_000;
const CLOSE_TIMEOUT_MS = 5_000;

const PING_INTERVAL_MS = 15_000;
/** How long a user is locked out after flooding. */
const PENALTY_MS = 5_000;

/** Format of `Sec-WebSocket-Key` (RFC 6455, section 4.1). */
const SOCKET_KEY = /^[+/0-9A-Za-z]{22}==$/;

export interface VoiceSocket {
  /** Handles an upgrade request; always answers it. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Ends every conversation, asks clients to reconnect, and refuses new sockets. */
  close(): Promise<void>;
  connections(): number;
}

export interface VoiceSocketOptions {
  pingMs?: number;
  limits?: Partial<ConnectionLimits>;
  /** How long a user is locked out after flooding. */
  penaltyMs?: number;
}

export function createVoiceSocket(
  services: VoiceServices,
  { pingMs = PING_INTERVAL_MS, limits, penaltyMs = PENALTY_MS }: VoiceSocketOptions = {},
): VoiceSocket {
  const { log } = services;
  const places = new SocketSlots(services.config.voice.maxSockets);
  const penalties = new Penalties(penaltyMs);
  const raw = new RawSockets(pingMs);
  const socketIo = new SocketIoSockets(pingMs);
  const connections = new Set<VoiceConnection>();
  const engine = openVoiceEngine(services);
  let closing: Promise<void> | null = null;

  const enter = ({ caller, sessionRequest }: Admission, socket: Duplex, wire: Wire): VoiceConnection => {
    const own = log.child({ request_id: caller.requestId });
    const open = (link: Link) => openConversation(services, engine, caller, sessionRequest, link);
    const connection = new VoiceConnection(wire, own, open, { ...REALTIME_LIMITS, ...limits });
    connections.add(connection);
    const stopWatching = watchAccess(services, caller, (error) => {
      connection.sendFinalError(error.code, error.message, 'invalid_request_error');
      void connection.leave('revoked', REALTIME_CLOSE_CODES.revoked, error.message);
    });
    socket.once('close', () => {
      stopWatching();
      connections.delete(connection);
      if (connection.flooded) penalties.note(caller.owner.user_id);
      void connection.onDisconnect();
    });
    return connection;
  };

  const serve = async (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const startedAt = performance.now();
    const requestId = requestIdOf(request.headers['x-request-id']) ?? randomUUID();
    const headers: Record<string, string> = {};
    // The connection may break before another listener is attached.
    socket.on('error', () => undefined);
    const late = setTimeout(() => socket.destroy(), ADMISSION_TIMEOUT_MS);
    try {
      const isSocketIo = checkProtocol(request);
      const admitted = await admit(services, request, requestId, (received) => Object.assign(headers, received));
      if (closing !== null)
        throw new ChorusError('overloaded', 'The server is shutting down: reconnect.', { retryAfterS: 1 });
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
      refuseUpgrade(socket, error, { url: request.url, requestId, headers });
    } finally {
      clearTimeout(late);
    }
  };

  /** Reserves a place in this process and one of the user's executions. Returns a function that frees both. */
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
    // The connection may have closed in the meantime, with no further event.
    if (socket.destroyed) giveBack();
    return giveBack;
  };

  const leave = async () => {
    const ended = [...connections].map((connection) => {
      connection.sendFinalError(
        'shutting_down',
        'The server is shutting down. Reconnect with the same session_id to continue.',
      );
      return connection.leave('shutdown', REALTIME_CLOSE_CODES.goingAway, 'The server is shutting down: reconnect.');
    });
    await withTimeout(Promise.all(ended), CLOSE_TIMEOUT_MS, () => undefined);
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

/** Serves the voice socket on a server; other upgrade requests keep their handlers. */
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
 * Returns whether the request uses the socket.io protocol.
 *
 * @throws {ChorusError} route_not_found for another path, invalid_request for neither protocol
 */
function checkProtocol(request: IncomingMessage): boolean {
  if (!isRealtimePath(request.url ?? '')) throw new ChorusError('route_not_found', 'There is no socket at this path.');
  const query = new URL(request.url ?? '/', 'http://localhost').searchParams;
  const isSocketIo = query.has('EIO');
  const known = query.get('EIO') === '4' && query.get('transport') === 'websocket' && !query.has('sid');
  if (isSocketIo && !known) throw notSpoken('socket.io requires EIO=4 and transport=websocket in the first request.');
  const { upgrade, 'sec-websocket-version': version, 'sec-websocket-key': key } = request.headers;
  const opens = request.method === 'GET' && upgrade?.toLowerCase() === 'websocket' && version === '13';
  if (!opens || key === undefined || !SOCKET_KEY.test(key))
    throw notSpoken('Open a socket with GET, Upgrade: websocket, Sec-WebSocket-Version: 13, and a Sec-WebSocket-Key.');
  return isSocketIo;
}

function notSpoken(message: string): ChorusError {
  return new ChorusError('invalid_request', message);
}
