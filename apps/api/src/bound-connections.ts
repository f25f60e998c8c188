import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from '@chorus/accounts';

export interface ConnectionBounds {
  /** Connections of the process. */
  maxConnections: number;
  /** Connections of one address. */
  maxConnectionsPerAddress: number;
  /** Whether an address is a proxy in front, which brings everybody's connections. */
  isProxy?: (address: string) => boolean;
}

/** Closes connections beyond the bounds. `refuse` may say why before it closes one of an address that has too many. */
export function boundConnections(
  server: Server,
  { maxConnections, maxConnectionsPerAddress, isProxy }: ConnectionBounds,
  refuse: (socket: Socket) => void,
): void {
  server.maxConnections = maxConnections;
  const open = new Map<string, number>();
  server.on('connection', (socket) => {
    const address = socket.remoteAddress ?? '';
    if (isProxy?.(address)) return;
    const network = networkOf(address);
    const count = (open.get(network) ?? 0) + 1;
    open.set(network, count);
    socket.once('close', () => {
      const left = (open.get(network) ?? 1) - 1;
      if (left > 0) open.set(network, left);
      else open.delete(network);
    });
    if (count > maxConnectionsPerAddress) refuse(socket);
  });
}
