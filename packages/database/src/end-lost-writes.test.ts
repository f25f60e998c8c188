import type { Socket } from 'node:net';
import { startStore, storeIsGiven } from '@chorus/testing';
import { MongoClient } from 'mongodb';
import { expect, it, onTestFinished } from 'vitest';
import { endLostWrites } from './end-lost-writes.ts';

/** The monitor's connection, in the driver's internals. */
interface Looking {
  topology: { s: { servers: Map<string, { monitor: { connection: { socket: Socket } | null } }> } };
}

// Only the embedded store can be killed.
it.skipIf(storeIsGiven)('a driver whose monitor lost its connection finds the server again', async () => {
  endLostWrites();
  const store = await startStore();
  onTestFinished(() => store.stop());
  const options = { serverSelectionTimeoutMS: 3_000, connectTimeoutMS: 3_000, heartbeatFrequencyMS: 500 };
  const client = new MongoClient(store.uri, options);
  onTestFinished(() => client.close(true));
  const ping = () => client.db().command({ ping: 1 });
  await ping();
  const closed = new Promise((resolve) => {
    client.on('serverHeartbeatStarted', () => {
      const [server] = (client as unknown as Looking).topology.s.servers.values();
      const socket = server?.monitor.connection?.socket;
      // As when a server closes an idle connection: destroyed now, closed one turn of the event loop later.
      socket?.once('close', resolve).destroy();
    });
  });
  await closed;
  client.removeAllListeners('serverHeartbeatStarted');
  process.kill(store.pid, 'SIGSTOP');
  const asked = ping();
  asked.catch(() => undefined); // handled below
  await store.kill();
  await expect(asked).rejects.toThrow(); // now the driver marks the server as lost
  await store.restart();
  await expect.poll(() => ping().then(() => 'answers', String)).toBe('answers');
});
