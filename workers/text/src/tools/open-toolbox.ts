import type { FindPassages, SaveFile, Toolbox } from '@chorus/agent-tools';
import { createImageJobs, createToolbox, type ImageJobParts } from '@chorus/agent-tools/toolbox';
import type { Assets } from '@chorus/assets';
import type { Blobs } from '@chorus/blobs';
import type { Database } from '@chorus/database';
import { createDocuments } from '@chorus/documents';
import type { EventHub, EventLog } from '@chorus/events';
import { KnowledgeKeys, readEntryText } from '@chorus/knowledge';
import { createOcr } from '@chorus/ocr';
import { createOutbound } from '@chorus/outbound';
import type { Config } from '@chorus/runtime/config';
import type { Logger } from '@chorus/runtime/log';
import { Stop } from '@chorus/worker-kit';
import { readFileWith } from './read-file.ts';

export interface ToolboxSetup {
  config: Pick<Config, 'outbound' | 'ocr' | 'iris'>;
  connections: { log: Logger; database: Database; hub: Pick<EventHub, 'open'>; eventLog: EventLog };
  assets: Assets;
  blobs: Blobs;
  saveFile: SaveFile;
  findPassages: FindPassages;
  dispatcher: ImageJobParts['dispatcher'];
  registry: ImageJobParts['registry'];
}

/** Opens the tools of agents with everything that they need. Child processes start on first use. */
export function openToolbox(setup: ToolboxSetup): Toolbox {
  const { config, connections, assets, blobs, saveFile, findPassages, dispatcher, registry } = setup;
  const { log, database, hub, eventLog } = connections;
  const documents = createDocuments({ log, processes: 1 });
  const ocr = createOcr({ ...config.ocr, log });
  const keys = new KnowledgeKeys(database);
  const toolbox = createToolbox({
    database,
    outbound: createOutbound(config.outbound),
    log,
    assets,
    findPassages,
    readFile: readFileWith(documents, ocr),
    readEntry: (owner, id, maxChars) => readEntryText({ database, blobs, keys }, owner, id, maxChars),
    saveFile,
    generateImage: createImageJobs({
      database,
      eventLog,
      hub,
      dispatcher,
      registry,
      get model() {
        return config.iris.imageModel;
      },
      isEnding,
    }),
  });
  return {
    open: (...asked) => toolbox.open(...asked),
    close: async () => {
      await Promise.all([toolbox.close(), documents.close(), ocr.close()]);
    },
  };
}

/** Returns whether the execution ends, instead of moving to another worker. */
function isEnding(reason: unknown): boolean {
  return !(reason instanceof Stop) || reason.kind === 'cancelled' || reason.kind === 'timeout';
}
