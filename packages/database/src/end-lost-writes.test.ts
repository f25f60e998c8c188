import type { Socket } from 'node:net';
import { startStore, storeIsGiven } from '@chorus/testing';
import mongoose from 'mongoose';
import { expect, it, onTestFinished } from 'vitest';
import { endLostWrites } from './end-lost-writes.ts';

/** Where the driver keeps the connection by which it looks at its server. */
interface Looking {
  topology: { s: { servers: Map<string, { monitor: { connection: { socket: Socket } | null } }> } };
}

// It kills the store, which only an embedded one takes.
it.skipIf(storeIsGiven)(
  'a driver whose look at its server met a breaking connection finds the server again',
  async () => {
    endLostWrites();
    const store = await startStore();
    onTestFinished(() => store.stop());
    const options = { serverSelectionTimeoutMS: 3_000, connectTimeoutMS: 3_000, heartbeatFrequencyMS: 500 };
    const connection = await mongoose.createConnection(store.uri, options).asPromise();
    onTestFinished(() => connection.close(true));
    const client = connection.getClient();
    const ping = () => client.db().command({ ping: 1 });
    await ping();
    const closed = new Promise((resolve) => {
      client.on('serverHeartbeatStarted', () => {
        const [server] = (client as unknown as Looking).topology.s.servers.values();
        const socket = server?.monitor.connection?.socket;
        // What the end of a server does to a quiet connection: it is destroyed now, and tells so a turn later.
        socket?.once('close', resolve).destroy();
      });
    });
    await closed;
    client.removeAllListeners('serverHeartbeatStarted');
    process.kill(store.pid, 'SIGSTOP');
    const asked = ping();
    asked.catch(() => undefined); // it is looked at below
    await store.kill();
    await expect(asked).rejects.toThrow(); // and with it the driver takes the server for lost
    await store.restart();
    await expect.poll(() => ping().then(() => 'answers', String)).toBe('answers');
  },
);
