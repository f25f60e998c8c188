import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exitOnConfigError, loadProcessConfig, reportReady } from '@chorus/runtime/config';
import { createLogger } from '@chorus/runtime/log';
import { ProcessMetrics } from '@chorus/runtime/metrics';
import { startTracing, stopTracing, tracedCalls } from '@chorus/runtime/tracing';
import { answerRequest } from './answer-request.ts';
import { connectServices } from './connect-services.ts';
import { mountVoice } from './mount-voice.ts';

const CLOSE_MS = 2_000;

/** HTTP requests here have no body. Open sockets are exempt from these limits. */
const TIMEOUTS = {
  headersTimeout: 20_000,
  requestTimeout: 25_000,
  keepAliveTimeout: 20_000,
  connectionsCheckingInterval: 2_000,
};

/** Runs the voice socket as its own process, behind a proxy that routes its paths here. */
await exitOnConfigError(async () => {
  const config = loadProcessConfig();
  const log = createLogger({ name: 'voice', level: config.logLevel });
  await startTracing(config.tracing, 'voice', log);
  const { services, close } = await connectServices(config, log);
  const metrics = new ProcessMetrics();
  const open = { metrics, metricsToken: config.http.metricsToken };
  const server = createServer(TIMEOUTS, (request, response) => void answerRequest(request, response, open));
  server.maxConnections = config.http.maxConnections;
  const voice = mountVoice(server, { ...services, observer: tracedCalls(metrics.providers) });
  metrics.addGauge('chorus_open_voice_sockets', 'Open voice sockets of this process.', () => voice.connections());
  server.listen(config.voice.port, config.http.host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  log.info({ host: config.http.host, port }, 'listening');
  reportReady({ port });

  const stop = async (signal: string) => {
    log.info({ signal, sockets: voice.connections() }, 'stopping');
    setTimeout(() => process.exit(1), config.shutdownGraceMs + CLOSE_MS).unref();
    const closed = once(server, 'close');
    server.close();
    await voice.close();
    server.closeAllConnections();
    await closed;
    await close();
    await stopTracing();
    log.info('stopped');
    process.exit(0);
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
});
