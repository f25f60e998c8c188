import type { Logger } from '@chorus/log';

/** Calls `close` once at SIGTERM or SIGINT, then exits. */
export function onShutdown(log: Logger, close: () => Promise<void>): void {
  let closing = false;
  const shutDown = async (signal: string) => {
    if (closing) return;
    closing = true;
    log.info({ signal }, 'shutting down');
    try {
      await close();
      process.exit(0);
    } catch (err) {
      log.error({ err }, 'shutdown failed');
      process.exit(1);
    }
  };
  process.on('SIGTERM', shutDown);
  process.on('SIGINT', shutDown);
}
