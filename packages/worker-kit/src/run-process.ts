import { followModelSettings } from '@chorus/executions';
import { type Config, exitOnConfigError, loadProcessConfig, reportReady } from '@chorus/runtime/config';
import { connectWorker, onShutdown, type WorkerConnections } from './connect-worker.ts';
import { keepHealthFile } from './health-file.ts';

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
    const models = await followModelSettings(config, connections);
    const { report, close } = await start({ config: models.config, connections });
    const removeHealthFile = await keepHealthFile(config.healthFile, connections.log);
    onShutdown(connections.log, async () => {
      await close();
      await removeHealthFile();
      models.stop();
      await connections.close();
    });
    reportReady(report);
    connections.log.info('ready');
  });
}
