import type { Accounts, RateLimits, UserPlaces } from '@chorus/accounts';
import type { ArchiveParts } from '@chorus/archive';
import type { AssetStore } from '@chorus/assets';
import type { Blobs } from '@chorus/blobs';
import type { Config } from '@chorus/config';
import type { VoiceLines, VoiceMarks, VoiceStates } from '@chorus/conversations';
import type { Database } from '@chorus/database';
import type { EventHub, EventLog, RedisConnection } from '@chorus/events';
import type { Addresses } from '@chorus/executions';
import type { KnowledgeKeys } from '@chorus/knowledge';
import type { Logger } from '@chorus/log';
import type { Outbound } from '@chorus/outbound';
import type { Deletions, Dispatcher, WorkerRegistry } from '@chorus/queue';
import type { Search } from '@chorus/search';
import type { BatchWatches } from './batches/batch-watches.ts';
import type { Metrics } from './metrics.ts';
import type { OpenStreams } from './open-streams.ts';

/** All that routes work with. Made once in main.ts, or by a test; nothing of it is global. */
export interface Services {
  config: Pick<
    Config,
    | 'http'
    | 'auth'
    | 'chat'
    | 'iris'
    | 'voice'
    | 'limits'
    | 'perUser'
    | 'queue'
    | 'assets'
    | 'blobs'
    | 'events'
    | 'retention'
  >;
  log: Logger;
  database: Database;
  accounts: Accounts;
  rateLimits: RateLimits;
  userPlaces: UserPlaces;
  dispatcher: Dispatcher;
  /** Deletes records with all that other places keep of them. */
  deletions: Deletions;
  registry: WorkerRegistry;
  hub: EventHub;
  eventLog: EventLog;
  /** For commands; fails within seconds while Redis is away. */
  redis: RedisConnection;
  blobs: Blobs;
  assets: AssetStore;
  /** Where what belongs to knowledge entries lies among the blobs. */
  knowledgeKeys: KnowledgeKeys;
  /** What a knowledge entry says, for the archive. */
  readEntry: ArchiveParts['readEntry'];
  addresses: Addresses;
  search: Search;
  /** Requests to addresses that users name. */
  outbound: Outbound;
  metrics: Metrics;
  streams: OpenStreams;
  voiceStates: VoiceStates;
  voiceLines: VoiceLines;
  voiceMarks: VoiceMarks;
  batchWatches: BatchWatches;
}
