import { ConfigError, exitOnConfigError, loadProcessConfig, reportReady } from '@chorus/config';
import { ChorusError } from '@chorus/contract';
import { createLogger } from '@chorus/log';
import { secureChildren } from '@chorus/sandbox';
import { createApp, proxyTest } from './app.ts';
import { connectServices } from './connect-services.ts';
import { patiently } from './patiently.ts';
import { closeServer, listen } from './serve.ts';
import { serveVoice } from './serve-voice.ts';

/** How long the connections to the stores may take to close after the last request, in milliseconds. */
const CLOSE_MS = 2_000;

/** The API process: reads its configuration, connects, listens, and on a signal ends in order. */
await exitOnConfigError(async () => {
  const config = loadProcessConfig();
  const log = createLogger({ name: 'api', level: config.logLevel });
  secureChildren(config.privatePaths, log, 'warn');
  const { services, close } = await connectServices(config, log);
  const app = createApp(services);
  const { server, port } = await listen(app, { ...config.http, isProxy: proxyTest(app) });
  const host = config.http.host.includes(':') ? `[${config.http.host}]` : config.http.host;
  const url = config.http.publicUrl ?? `http${config.http.tls ? 's' : ''}://${host}:${port}`;
  const endVoice = serveVoice(server, { ...services, config });
  // Only a process that serves makes the first user: a password that is made and never shown would be lost.
  const login = await patiently(() => services.accounts.ensureFirstUser(config.admin)).catch((error) => {
    if (!(error instanceof ChorusError && error.code === 'invalid_request')) throw error;
    throw new ConfigError(error.details.map(({ path, message }) => `${path} ${message}`));
  });
  log.info({ host: config.http.host, port }, 'listening');
  const told = reportReady({ url, port, login });
  if (!told && login.created && config.admin.password === null) {
    process.stderr.write(`First login, shown this once: ${login.email} ${login.password}\n`);
  }

  const stop = async (signal: string) => {
    log.info({ signal, streams: services.streams.size }, 'stopping');
    // Connections to stores that are away may never close.
    setTimeout(() => process.exit(1), config.shutdownGraceMs + CLOSE_MS).unref();
    const closing = closeServer(server, config.shutdownGraceMs);
    services.streams.stop();
    await endVoice();
    await closing;
    await close();
    log.info('stopped');
    process.exit(0);
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
});
