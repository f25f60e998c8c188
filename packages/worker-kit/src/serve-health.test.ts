import { expect, test } from 'vitest';
import { type HealthServer, serveHealth } from './serve-health.ts';

test('reports whether a process is up and ready', async () => {
  let isDown = false;
  const checkWrites = async () => {
    if (isDown) throw new Error('down');
  };
  const pings = { database: { checkWrites }, redis: { set: async () => 'OK' } };
  const server: HealthServer = await serveHealth({ host: '127.0.0.1', port: 0 }, pings as never);
  const ask = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`);
    return [response.status, ((await response.json()) as { status?: string }).status];
  };
  try {
    expect(await ask('/healthz')).toEqual([200, 'ok']);
    expect(await ask('/readyz')).toEqual([200, 'ok']);
    isDown = true;
    expect(await ask('/readyz')).toEqual([503, 'failing']);
    isDown = false;
    server.stop();
    expect(await ask('/readyz')).toEqual([503, 'stopping']);
    expect(await ask('/healthz')).toEqual([200, 'ok']);
    expect(await ask('/elsewhere')).toEqual([404, undefined]);
    await expect(serveHealth({ host: '127.0.0.1', port: server.port }, pings as never)).rejects.toThrow('HEALTH_PORT');
  } finally {
    server.close();
  }
});
