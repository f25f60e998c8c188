import { startMaintenance } from '@chorus/maintenance';
import { withProviders } from '@chorus/providers';
import { createLogger } from '@chorus/runtime/log';
import { runProcess } from '@chorus/worker-kit';
import { startKnowledge } from '@chorus/worker-knowledge';
import { startMedia } from '@chorus/worker-media';
import { startVision } from '@chorus/worker-vision';
import { startVoice } from '@chorus/worker-voice';

await runProcess(
  'background',
  withProviders(async (parts) => {
    const namedAs = (name: string) => {
      const log = createLogger({ name, level: parts.config.logLevel });
      return { ...parts, connections: { ...parts.connections, log } };
    };
    const started = await Promise.all([
      startMaintenance(namedAs('maintenance')),
      startMedia(namedAs('worker-media')),
      startVision(namedAs('worker-vision')),
      startKnowledge(namedAs('worker-knowledge')),
      startVoice(namedAs('worker-voice')),
    ]);
    return {
      async close() {
        await Promise.all(started.map((one) => one.close()));
      },
    };
  }),
);
