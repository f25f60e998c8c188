import { type Config, exitOnConfigError, loadProcessConfig, reportReady } from '@chorus/runtime/config';
import { connectWorker, onShutdown, type WorkerConnections } from './connect-worker.ts';

export interface ProcessParts {
  config: Config;
  connections: WorkerConnections;
}

export interface Started {
  /** Fields of the ready report. */
  report?: Record<string, unknown>;
  /** Lets running work end, and closes what was opened. */
  close(): Promise<void>;
}

/** Runs a process of workers until a signal stops it. */
export async function runProcess(name: string, start: (parts: ProcessParts) => Promise<Started>): Promise<void> {
  await exitOnConfigError(async () => {
    const config = loadProcessConfig();
    const connections = await connectWorker(name, config);
    const { report, close } = await start({ config, connections });
    onShutdown(connections.log, async () => {
      await close();
      await connections.close();
    });
    reportReady(report);
    connections.log.info('ready');
  });
}
