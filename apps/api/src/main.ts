import { ChorusError } from '@chorus/contract';
import { ConfigError, exitOnConfigError, loadProcessConfig, reportReady } from '@chorus/runtime/config';
import { createLogger } from '@chorus/runtime/log';
import { startTracing, stopTracing } from '@chorus/runtime/tracing';
import { secureChildren } from '@chorus/sandbox';
import { createApp, proxyTest } from './app.ts';
import { connectServices, retryAtStart } from './connect-services.ts';
import { writeBatchOutputs } from './openai/batches/write-outputs.ts';
import { closeServer, listen } from './serve.ts';
import { serveVoice } from './serve-voice.ts';

/** Time limit for closing connections to the stores after the last request. */
const CLOSE_MS = 2_000;

/** Runs the API process until a signal stops it. */
await exitOnConfigError(async () => {
  const config = loadProcessConfig();
  const log = createLogger({ name: 'api', level: config.logLevel });
  secureChildren(config.privatePaths, log, 'warn');
  await startTracing(config.tracing, 'api', log);
  const { services, close } = await connectServices(config, log);
  const app = createApp(services);
  const { server, port } = await listen(app, { ...config.http, isProxy: proxyTest(app) });
  const host = config.http.host.includes(':') ? `[${config.http.host}]` : config.http.host;
  const url = config.http.publicUrl ?? `http${config.http.tls ? 's' : ''}://${host}:${port}`;
  const stopWriting = writeBatchOutputs(services);
  const endVoice = serveVoice(server, { ...services, config });
  // Only a serving process creates the first user: its generated password is shown once.
  const login = await retryAtStart(() => services.accounts.ensureFirstUser(config.admin)).catch((error) => {
    if (!(error instanceof ChorusError && error.code === 'invalid_request')) throw error;
    throw new ConfigError(error.details.map(({ path, message }) => `${path} ${message}`));
  });
  log.info({ host: config.http.host, port }, 'listening');
  const reported = reportReady({ url, port, login });
  if (!reported && login.created && config.admin.password === null) {
    process.stderr.write(`First login, shown only once: ${login.email} ${login.password}\n`);
  }

  const stop = async (signal: string) => {
    log.info({ signal, streams: services.streams.size }, 'stopping');
    // Connections to stores that are down may never close.
    setTimeout(() => process.exit(1), config.shutdownGraceMs + CLOSE_MS).unref();
    const closing = closeServer(server, config.shutdownGraceMs);
    services.streams.stop();
    await endVoice();
    await Promise.all([closing, stopWriting()]);
    await close();
    await stopTracing();
    log.info('stopped');
    process.exit(0);
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
});
