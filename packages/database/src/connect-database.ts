import { publicAddress } from '@chorus/config';
import { ChorusError } from '@chorus/contract';
import type { Logger } from '@chorus/log';
import type { SecretBox, SecretKeySource } from '@chorus/secrets';
import { type Connection, type ConnectOptions, Mongoose } from 'mongoose';
import { createAgentRepository, defineAgentModel, type StoredAgent } from './agent-repository.ts';
import { createApiKeyRepository, defineApiKeyModel, type StoredApiKey } from './api-key-repository.ts';
import { defineArchiveModel, type StoredArchiveUnit } from './archive-model.ts';
import { createArchiveRepository } from './archive-repository.ts';
import {
  createArchiveRevisionRepository,
  defineArchiveRevisionModel,
  type StoredArchiveRevision,
} from './archive-revision-repository.ts';
import { createAssetRepository, defineAssetModel, type StoredAsset } from './asset-repository.ts';
import { createAuditRepository, defineAuditModel, type StoredAuditEntry } from './audit-repository.ts';
import { createBatchItemRepository, defineBatchItemModel, type StoredBatchItem } from './batch-item-repository.ts';
import { createBatchRepository, defineBatchModel, type StoredBatch } from './batch-repository.ts';
import { createDeletionRepository, defineDeletionModel, type StoredDeletion } from './deletion-repository.ts';
import { endLostWrites } from './end-lost-writes.ts';
import { ensureIndexes } from './ensure-indexes.ts';
import { createErasure } from './erasure.ts';
import { defineExecutionModel, type StoredExecution } from './execution-model.ts';
import { createExecutionRepository } from './execution-repository.ts';
import {
  createIdempotencyRepository,
  defineIdempotencyModel,
  type StoredIdempotency,
} from './idempotency-repository.ts';
import { createInvitationRepository, defineInvitationModel, type StoredInvitation } from './invitation-repository.ts';
import { defineKnowledgeModel, type StoredKnowledge } from './knowledge-model.ts';
import { createKnowledgeRepository } from './knowledge-repository.ts';
import {
  createKnowledgeSpaceRepository,
  defineKnowledgeSpaceModel,
  type StoredSpaces,
} from './knowledge-space-repository.ts';
import { defineMessageModel, type StoredMessage } from './message-model.ts';
import { createMessageRepository } from './message-repository.ts';
import {
  createMessageRevisionRepository,
  defineMessageRevisionModel,
  type StoredRevision,
} from './message-revision-repository.ts';
import { openSecretBox } from './open-secret-box.ts';
import {
  createProvenanceRepository,
  defineProvenanceModels,
  type StoredCertificate,
  type StoredLedgerRecord,
} from './provenance-repository.ts';
import { createRefreshTokenRepository, defineRefreshTokenModel } from './refresh-token-repository.ts';
import type { Database } from './repositories.ts';
import { createSecretRepository, defineSecretModel } from './secret-repository.ts';
import { defineSessionModel, type StoredSession } from './session-model.ts';
import { createSessionRepository } from './session-repository.ts';
import { createSigningKeyRepository, defineSigningKeyModel } from './signing-key-repository.ts';
import { createStorageRepository, defineStorageModel, type StoredUse } from './storage-repository.ts';
import { fromStore, isStoreAway, storeUnavailable } from './store-errors.ts';
import { defineTextRemovalModel, type StoredTextRemoval } from './text-removals.ts';
import { createTextRepository } from './text-repository.ts';
import { createTotpRepository, defineTotpModel, type StoredTotp } from './totp-repository.ts';
import { createUsageRepository, defineUsageModel, type StoredUsageDay } from './usage-repository.ts';
import { createUserRepository, defineUserModel } from './user-repository.ts';
import {
  createWebhookDeliveryRepository,
  defineWebhookDeliveryModel,
  type StoredWebhookDelivery,
} from './webhook-delivery-repository.ts';
import {
  createWebhookSecretRepository,
  defineWebhookSecretModel,
  type StoredWebhookSecret,
} from './webhook-secret-repository.ts';
import {
  createWorkspaceRepository,
  defineWorkspaceModels,
  type StoredMembership,
  type StoredWorkspace,
} from './workspace-repository.ts';

export interface ConnectDatabaseOptions {
  /** A MongoDB connection string, such as `mongodb://localhost:27017/chorus`. */
  uri: string;
  log: Logger;
  /** Where the key of stored secrets comes from. Absent or null: this process uses none of them. */
  secretKey?: SecretKeySource | null;
  /** Whether a process that begins waits for a store that does not answer, and says so once. */
  waits?: boolean;
}

/** How long one operation looks for a server before it fails. */
const SELECTION_MS = 3_000;
/** How long an answer may take, whole index builds included. */
const SOCKET_TIMEOUT_MS = 30_000;
/** A store that is just starting is waited for; three looks of 3 s keep this under 10 s. */
const CONNECT_TRIES = 3;

/** A store that goes away while it is being opened is opened again, for so long, after such pauses, in milliseconds. */
const CONNECT_WITHIN_MS = 7_000;
const CONNECT_AGAIN_MS = 200;

/**
 * Connects to the document store, MongoDB or the embedded one, and makes sure that the indexes exist. The driver
 * reconnects by itself from then on. Throws `store_unavailable` when the store does not answer within 10 s, unless it `waits`.
 */
export async function connectDatabase(options: ConnectDatabaseOptions): Promise<Database> {
  const { log, uri, waits = false } = options;
  const until = performance.now() + CONNECT_WITHIN_MS;
  const address = publicAddress(uri);
  for (let isFirst = true; ; isFirst = false) {
    try {
      const database = await openDatabase(options);
      if (waits && !isFirst) log.warn(`MONGODB_URI: ${address} answers`);
      return database;
    } catch (error) {
      const away = error instanceof ChorusError && error.code === 'store_unavailable';
      // Otherwise only one that went away again while the indexes were made is opened again.
      if (!away || (!waits && performance.now() > until)) throw error;
      if (waits && isFirst) log.warn(`MONGODB_URI: no answer from ${address}; trying again until it answers`);
      await new Promise((resolve) => setTimeout(resolve, CONNECT_AGAIN_MS));
    }
  }
}

async function openDatabase({ uri, log, secretKey }: ConnectDatabaseOptions): Promise<Database> {
  const connection = await connect(uri);
  try {
    const executions = defineExecutionModel(connection);
    const sessions = defineSessionModel(connection);
    const messages = defineMessageModel(connection);
    const messageRevisions = defineMessageRevisionModel(connection);
    const idempotency = defineIdempotencyModel(connection);
    const usageDays = defineUsageModel(connection);
    const users = defineUserModel(connection);
    const workspaces = defineWorkspaceModels(connection);
    const apiKeys = defineApiKeyModel(connection);
    const invitations = defineInvitationModel(connection);
    const agents = defineAgentModel(connection);
    const assets = defineAssetModel(connection);
    const storage = defineStorageModel(connection);
    const knowledge = defineKnowledgeModel(connection);
    const archive = defineArchiveModel(connection);
    const archiveRevisions = defineArchiveRevisionModel(connection);
    const knowledgeSpaces = defineKnowledgeSpaceModel(connection);
    const textRemovals = defineTextRemovalModel(connection);
    const provenance = defineProvenanceModels(connection);
    const batches = defineBatchModel(connection);
    const batchItems = defineBatchItemModel(connection);
    const audit = defineAuditModel(connection);
    const refreshTokens = defineRefreshTokenModel(connection);
    const totp = defineTotpModel(connection);
    const signingKeys = defineSigningKeyModel(connection);
    const secrets = defineSecretModel(connection);
    const webhookDeliveries = defineWebhookDeliveryModel(connection);
    const webhookSecrets = defineWebhookSecretModel(connection);
    const deletions = defineDeletionModel(connection);
    await ensureIndexes(connection, log);

    const store = connection.getClient().db();
    const secretBox = secretKey ? await openSecretBox(store, secretKey, log) : null;
    const box = () => secretBox ?? withoutKey();
    const texts = {
      archive: store.collection<StoredArchiveUnit>(archive.collection.name),
      sessions: store.collection<StoredSession>(sessions.collection.name),
      messages: store.collection<StoredMessage>(messages.collection.name),
      removals: store.collection<StoredTextRemoval>(textRemovals.collection.name),
    };
    return {
      executions: createExecutionRepository(store.collection<StoredExecution>(executions.collection.name)),
      sessions: createSessionRepository(texts.sessions, texts.removals),
      messages: createMessageRepository(texts.messages, texts.removals),
      messageRevisions: createMessageRevisionRepository(
        store.collection<StoredRevision>(messageRevisions.collection.name),
      ),
      idempotency: createIdempotencyRepository(store.collection<StoredIdempotency>(idempotency.collection.name)),
      usage: createUsageRepository(
        store.collection<StoredUsageDay>(usageDays.collection.name),
        store.collection<StoredExecution>(executions.collection.name),
      ),
      users: createUserRepository(users),
      workspaces: createWorkspaceRepository(
        store.collection<StoredWorkspace>(workspaces.workspaces.collection.name),
        store.collection<StoredMembership>(workspaces.memberships.collection.name),
      ),
      apiKeys: createApiKeyRepository(store.collection<StoredApiKey>(apiKeys.collection.name)),
      invitations: createInvitationRepository(store.collection<StoredInvitation>(invitations.collection.name)),
      agents: createAgentRepository(store.collection<StoredAgent>(agents.collection.name)),
      assets: createAssetRepository(store.collection<StoredAsset>(assets.collection.name)),
      storage: createStorageRepository({
        use: store.collection<StoredUse>(storage.collection.name),
        assets: store.collection<StoredAsset>(assets.collection.name),
        knowledge: store.collection<StoredKnowledge>(knowledge.collection.name),
      }),
      knowledge: createKnowledgeRepository(store.collection<StoredKnowledge>(knowledge.collection.name)),
      archive: createArchiveRepository(texts.archive, texts.removals),
      archiveRevisions: createArchiveRevisionRepository(
        store.collection<StoredArchiveRevision>(archiveRevisions.collection.name),
      ),
      knowledgeSpaces: createKnowledgeSpaceRepository(store.collection<StoredSpaces>(knowledgeSpaces.collection.name)),
      texts: createTextRepository(texts),
      provenance: createProvenanceRepository(
        store.collection<StoredLedgerRecord>(provenance.ledger.collection.name),
        store.collection<StoredCertificate>(provenance.certificates.collection.name),
      ),
      batches: createBatchRepository(store.collection<StoredBatch>(batches.collection.name)),
      batchItems: createBatchItemRepository(store.collection<StoredBatchItem>(batchItems.collection.name)),
      audit: createAuditRepository(store.collection<StoredAuditEntry>(audit.collection.name)),
      refreshTokens: createRefreshTokenRepository(refreshTokens),
      totp: createTotpRepository(store.collection<StoredTotp>(totp.collection.name), box),
      signingKeys: createSigningKeyRepository(signingKeys, box),
      secrets: createSecretRepository(secrets, box),
      webhookDeliveries: createWebhookDeliveryRepository(
        store.collection<StoredWebhookDelivery>(webhookDeliveries.collection.name),
      ),
      webhookSecrets: createWebhookSecretRepository(
        store.collection<StoredWebhookSecret>(webhookSecrets.collection.name),
        box,
      ),
      deletions: createDeletionRepository(store.collection<StoredDeletion>(deletions.collection.name)),
      erasure: createErasure(connection),
      secretBox: {
        seal: (context, text) => box().seal(context, text),
        open: (context, sealed) => box().open(context, sealed),
        get keyId() {
          return box().keyId;
        },
      },
      ping: async () => {
        await fromStore(store.command({ ping: 1 }));
      },
      close: () => connection.close(),
    };
  } catch (error) {
    await connection.close(true);
    throw error;
  }
}

function withoutKey(): SecretBox {
  throw new TypeError('this process was opened without SECRET_KEY, and uses no stored secrets');
}

/** Throws `store_unavailable` when the store does not answer within 10 s. */
export async function connect(uri: string, over: ConnectOptions = {}): Promise<Connection> {
  endLostWrites();
  // An instance of our own: its settings hold for these models alone, and several databases can be open at once.
  const mongoose = new Mongoose({ sanitizeFilter: true, strictQuery: true });
  for (let tries = 1; ; tries++) {
    const connection = mongoose.createConnection(uri, {
      autoCreate: false,
      autoIndex: false,
      bufferCommands: false,
      serverSelectionTimeoutMS: SELECTION_MS,
      connectTimeoutMS: SELECTION_MS,
      socketTimeoutMS: SOCKET_TIMEOUT_MS,
      waitQueueTimeoutMS: 5_000,
      maxPoolSize: 100,
      maxConnecting: 8,
      ...over,
    });
    try {
      return await connection.asPromise();
    } catch (error) {
      await connection.close(true).catch(() => {});
      if (!isStoreAway(error)) throw error;
      if (tries === CONNECT_TRIES) throw storeUnavailable(error);
    }
  }
}
