import type { Accounts, RateLimits, UserPlaces } from '@chorus/accounts';
import type { McpPool } from '@chorus/agent-tools/toolbox';
import type { ArchiveParts } from '@chorus/archive';
import type { AssetStore } from '@chorus/assets';
import type { Blobs } from '@chorus/blobs';
import type { VoiceLines, VoiceMarks, VoiceStates } from '@chorus/conversations';
import type { Database } from '@chorus/database';
import type { EventHub, EventLog, RedisConnection } from '@chorus/events';
import type { Addresses, Budgets, LaneReader } from '@chorus/executions';
import type { KnowledgeKeys } from '@chorus/knowledge';
import type { Outbound } from '@chorus/outbound';
import type { Deletions, Dispatcher, WorkerRegistry } from '@chorus/queue';
import type { Config } from '@chorus/runtime/config';
import type { Logger } from '@chorus/runtime/log';
import type { Search } from '@chorus/search';
import type { BatchWatches } from './batches/batch-watches.ts';
import type { Metrics } from './metrics.ts';
import type { OpenStreams } from './open-streams.ts';

/** Everything that routes work with. Created once by main.ts or a test; nothing is global. */
export interface Services {
  /** Default models, fallbacks, and limits in it change while the process runs. */
  config: Pick<
    Config,
    | 'http'
    | 'auth'
    | 'chat'
    | 'knowledge'
    | 'iris'
    | 'voice'
    | 'limits'
    | 'providers'
    | 'perUser'
    | 'rateLimits'
    | 'fixedLimits'
    | 'queue'
    | 'assets'
    | 'blobs'
    | 'events'
    | 'retention'
    | 'sharedLinks'
  >;
  /** The same, without settings that operators stored. */
  configured: Pick<Config, 'chat' | 'iris' | 'voice'>;
  log: Logger;
  database: Database;
  accounts: Accounts;
  rateLimits: RateLimits;
  userPlaces: UserPlaces;
  dispatcher: Dispatcher;
  /** Limits on the spending of workspaces and API keys. */
  budgets: Budgets;
  /** Deletes records with everything that refers to them. */
  deletions: Deletions;
  registry: WorkerRegistry;
  hub: EventHub;
  eventLog: EventLog;
  /** For commands. Fails within seconds while Redis is down. */
  redis: RedisConnection;
  blobs: Blobs;
  assets: AssetStore;
  /** Keys of blobs that belong to knowledge entries. */
  knowledgeKeys: KnowledgeKeys;
  /** Reads a knowledge entry's text, up to about `maxChars`. */
  readEntry(
    ...asked: [...Parameters<ArchiveParts['readEntry']>, isAsked?: (first: number, last: number) => boolean]
  ): ReturnType<ArchiveParts['readEntry']>;
  addresses: Addresses;
  /** Reads the lanes that work waits in. */
  lanes: LaneReader;
  search: Search;
  /** Sends requests to URLs that users provide. */
  outbound: Outbound;
  /** Connections to registered MCP servers. Loaded at first use. */
  mcpPool: () => Promise<McpPool>;
  metrics: Metrics;
  streams: OpenStreams;
  voiceStates: VoiceStates;
  voiceLines: VoiceLines;
  voiceMarks: VoiceMarks;
  batchWatches: BatchWatches;
}
