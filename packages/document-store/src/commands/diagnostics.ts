import { hostname } from 'node:os';
import { type Document, Double, Int32, UUID } from 'bson';
import { illegalOperation } from '../errors.ts';
import { MAX_DOCUMENT_BYTES } from '../values/codec.ts';
import { MAX_MESSAGE_BYTES } from '../wire.ts';
import type { CommandContext } from './command.ts';

/** The version of MongoDB whose behaviour is followed. */
const VERSION = '7.0.0';
const VERSION_PARTS = [7, 0, 0, 0];
const MAX_WIRE_VERSION = 21;

/** `hello` and its old names: a standalone server, so that drivers ask for neither transactions nor retryable writes. */
export function hello(context: CommandContext): Document {
  return {
    helloOk: context.name === 'hello' ? undefined : true,
    isWritablePrimary: context.name === 'hello' ? true : undefined,
    ismaster: context.name === 'hello' ? undefined : true,
    maxBsonObjectSize: MAX_DOCUMENT_BYTES,
    maxMessageSizeBytes: MAX_MESSAGE_BYTES,
    maxWriteBatchSize: 100_000,
    localTime: new Date(),
    logicalSessionTimeoutMinutes: 30,
    connectionId: context.client.id,
    minWireVersion: 0,
    maxWireVersion: MAX_WIRE_VERSION,
    readOnly: false,
  };
}

export function ok(): Document {
  return {};
}

export function buildInfo(): Document {
  return {
    version: VERSION,
    gitVersion: 'document-store',
    modules: [],
    sysInfo: 'document-store over SQLite',
    versionArray: VERSION_PARTS,
    bits: 64,
    debug: false,
    maxBsonObjectSize: MAX_DOCUMENT_BYTES,
    storageEngines: ['sqlite'],
  };
}

export function serverStatus({ store }: CommandContext): Document {
  const memory = process.memoryUsage();
  return {
    host: hostname(),
    version: VERSION,
    process: 'document-store',
    pid: process.pid,
    uptime: new Double(process.uptime()),
    uptimeMillis: Date.now() - store.startedAt.getTime(),
    localTime: new Date(),
    connections: { current: store.connections.size, available: 10_000, totalCreated: store.connectionsMade },
    metrics: {
      commands: Object.fromEntries([...store.commandCounts].map(([name, total]) => [name, { total }])),
      cursor: { open: { total: store.cursors.size } },
    },
    mem: {
      bits: 64,
      resident: Math.round(memory.rss / 1024 / 1024),
      virtual: Math.round(memory.heapTotal / 1024 / 1024),
    },
    storageEngine: { name: 'sqlite', persistent: true, supportsCommittedReads: true },
  };
}

export function connectionStatus(): Document {
  return { authInfo: { authenticatedUsers: [], authenticatedUserRoles: [] } };
}

export function getParameter({ command }: CommandContext): Document {
  return 'featureCompatibilityVersion' in command || command.getParameter === '*'
    ? { featureCompatibilityVersion: { version: '7.0' } }
    : {};
}

export function getLog({ command }: CommandContext): Document {
  return command.getLog === '*' ? { names: ['global', 'startupWarnings'] } : { totalLinesWritten: 0, log: [] };
}

export function startSession(): Document {
  return { id: { id: new UUID() }, timeoutMinutes: new Int32(30) };
}

export function refuseTransaction(): never {
  throw illegalOperation('This server has no transactions: it is a standalone server.');
}
