import { hostname } from 'node:os';
import { type Document, Double, Int32, UUID } from 'bson';
import { illegalOperation } from '../errors.ts';
import { MAX_DOCUMENT_BYTES } from '../values/codec.ts';
import { MAX_MESSAGE_BYTES } from '../wire.ts';
import type { CommandContext } from './command.ts';

export const VERSION = '7.0.0';
const MAX_WIRE_VERSION = 21;

/** Presents a standalone server, so that drivers use neither transactions nor retryable writes. */
export function hello({ name, client }: CommandContext): Document {
  return {
    ...(name === 'hello' ? { isWritablePrimary: true } : { helloOk: true, ismaster: true }),
    maxBsonObjectSize: MAX_DOCUMENT_BYTES,
    maxMessageSizeBytes: MAX_MESSAGE_BYTES,
    maxWriteBatchSize: 100_000,
    localTime: new Date(),
    logicalSessionTimeoutMinutes: 30,
    connectionId: client.id,
    minWireVersion: 0,
    maxWireVersion: MAX_WIRE_VERSION,
    readOnly: false,
  };
}

export function ok(): Document {
  return {};
}

export function buildInfo(): Document {
  const versionArray = [...VERSION.split('.').map(Number), 0];
  return { version: VERSION, versionArray, modules: [], maxBsonObjectSize: MAX_DOCUMENT_BYTES };
}

export function serverStatus({ store }: CommandContext): Document {
  return {
    host: hostname(),
    version: VERSION,
    process: 'document-store',
    pid: process.pid,
    uptime: new Double(process.uptime()),
    localTime: new Date(),
    connections: { current: store.connections.size, totalCreated: store.connectionsCreated },
    metrics: {
      commands: Object.fromEntries([...store.commandCounts].map(([name, total]) => [name, { total }])),
      cursor: { open: { total: store.cursors.size } },
    },
    mem: { bits: 64, resident: Math.round(process.memoryUsage.rss() / 1024 / 1024) },
  };
}

export function startSession(): Document {
  return { id: { id: new UUID() }, timeoutMinutes: new Int32(30) };
}

export function refuseTransaction(): never {
  throw illegalOperation('This server does not support transactions, because it is a standalone server.');
}
