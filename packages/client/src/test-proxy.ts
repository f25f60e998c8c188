import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A network between a client and a server that can fail. */
export interface TestProxy {
  readonly url: string;
  /** How many connections were made. */
  readonly connections: number;
  /** Ends all connections now, and the next `times` ones after `bytes` from the server. Null: stops cutting. */
  cutAfter(bytes: number | null, times?: number): void;
  /** Whether new connections are refused. */
  refuse(refused: boolean): void;
  /** Ends all connections now. */
  cut(): void;
  stop(): void;
}

export async function startTestProxy(target: string): Promise<TestProxy> {
  const sockets = new Set<Socket>();
  let connections = 0;
  let limit: number | null = null;
  let cutsLeft = 0;
  let refused = false;
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((client) => {
    if (refused) return void client.destroy();
    connections++;
    const upstream = connect(Number(new URL(target).port), '127.0.0.1');
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    let left = limit !== null && cutsLeft-- > 0 ? limit : Number.POSITIVE_INFINITY;
    upstream.on('data', (chunk: Buffer) => {
      client.write(chunk.subarray(0, left));
      left -= chunk.length;
      if (left <= 0) client.end(end);
    });
    client.pipe(upstream);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket
        .on('error', end)
        .on('close', end)
        .on('close', () => sockets.delete(socket));
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get connections() {
      return connections;
    },
    cutAfter: (bytes, times = Number.POSITIVE_INFINITY) => {
      limit = bytes;
      cutsLeft = times;
      cut(); // clients keep connections for later
    },
    refuse: (now) => {
      refused = now;
    },
    cut,
    stop: () => {
      server.close();
      cut();
    },
  };
}
