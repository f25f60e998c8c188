import { followOperatorSettings } from '@chorus/executions';
import { type Config, exitOnConfigError, loadProcessConfig, reportReady } from '@chorus/runtime/config';
import { startTracing, stopTracing } from '@chorus/runtime/tracing';
import { connectWorker, onShutdown, type WorkerConnections } from './connect-worker.ts';
import { serveHealth } from './serve-health.ts';

export interface ProcessParts {
  config: Config;
  connections: WorkerConnections;
}

export interface Started {
  /** Fields of the ready report. */
  report?: Record<string, unknown>;
  /** Lets running work finish, and closes everything. */
  close(): Promise<void>;
}

/** Runs a process of workers until a signal stops it. */
export async function runProcess(name: string, start: (parts: ProcessParts) => Promise<Started>): Promise<void> {
  await exitOnConfigError(async () => {
    const config = loadProcessConfig();
    const connections = await connectWorker(name, config);
    await startTracing(config.tracing, name, connections.log);
    const settings = await followOperatorSettings(config, connections);
    const { report, close } = await start({ config: settings.config, connections });
    const { host, healthPort: port } = config.http;
    const health = port === null ? null : await serveHealth({ host, port }, connections);
    onShutdown(connections.log, async () => {
      health?.stop();
      await close();
      settings.stop();
      await connections.close();
      await stopTracing();
      health?.close();
    });
    reportReady(report);
    connections.log.info('ready');
  });
}
