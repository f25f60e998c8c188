import { isStoreUnavailable } from '@chorus/contract';
import { publicAddress } from '@chorus/runtime/addresses';
import type { Logger } from '@chorus/runtime/log';
import { backoff, retryWhile } from '@chorus/runtime/timing';
import type { SecretBox, SecretKeySource } from '@chorus/secrets';
import type { Db } from 'mongodb';
import { createApiKeyRepository } from './accounts/api-keys.ts';
import { createIdentityRepository } from './accounts/identities.ts';
import { createRefreshTokenRepository } from './accounts/refresh-tokens.ts';
import { createSigningKeyRepository } from './accounts/signing-keys.ts';
import { createTotpRepository } from './accounts/totp.ts';
import { createUserRepository } from './accounts/users.ts';
import { createMcpServerRepository } from './agent-tools/mcp-servers.ts';
import { createToolApiRepository } from './agent-tools/tool-apis.ts';
import { createAgentRepository } from './agents/repository.ts';
import { createArchiveRepository, createArchiveRevisionRepository } from './archive/repository.ts';
import { createAssetRepository } from './assets/repository.ts';
import { createAuditRepository } from './audit/repository.ts';
import { createBatchPartRepository } from './batch-parts/repository.ts';
import { createFileBatchRepository } from './batches/file-batches.ts';
import { createBatchItemRepository } from './batches/items.ts';
import { createBatchRepository } from './batches/repository.ts';
import { createBudgetRepository } from './budgets/repository.ts';
import { COLLECTIONS } from './collections.ts';
import { connect } from './connect.ts';
import { createDeletionRepository } from './deletions/repository.ts';
import { ensureIndexes } from './ensure-indexes.ts';
import { createErasure } from './erasure.ts';
import { createExecutionRepository } from './executions/repository.ts';
import { createFolderRepository } from './folders/repository.ts';
import { createIdempotencyRepository } from './idempotency/repository.ts';
import { createKnowledgeRepository } from './knowledge/repository.ts';
import { createKnowledgeSpaceRepository } from './knowledge/spaces.ts';
import { createLimitsRepository } from './limits/repository.ts';
import { createMessageRepository } from './messages/repository.ts';
import { createMessageRevisionRepository } from './messages/revisions.ts';
import { createModelSettingsRepository } from './model-settings/repository.ts';
import { createPromptRepository } from './prompts/repository.ts';
import { createProvenanceRepository } from './provenance/repository.ts';
import { createProviderKeyRepository } from './provider-keys/repository.ts';
import { createProviderStopRepository } from './provider-stops/repository.ts';
import { createWriteCheck } from './readiness.ts';
import { openSecretBox } from './secrets/open-secret-box.ts';
import { createSecretRepository } from './secrets/repository.ts';
import { createSessionRepository } from './sessions/repository.ts';
import { createShareRepository } from './shares/repository.ts';
import { createStorageRepository } from './storage/repository.ts';
import { fromStore } from './store-errors.ts';
import { createTextRepository } from './texts/repository.ts';
import { createUsageRepository } from './usage/repository.ts';
import { createWebhookDeliveryRepository } from './webhooks/deliveries.ts';
import { createWebhookSecretRepository } from './webhooks/secrets.ts';
import { createInvitationRepository } from './workspaces/invitations.ts';
import { createWorkspaceRepository } from './workspaces/repository.ts';

export interface ConnectDatabaseOptions {
  /** A MongoDB connection string, such as `mongodb://localhost:27017/chorus`. */
  uri: string;
  log: Logger;
  /** Source of the key for stored secrets. Absent or null: this process uses none. */
  secretKey?: SecretKeySource | null;
  /** Whether to wait for an unreachable store, and log that once. */
  waits?: boolean;
}

const RECONNECT_WITHIN_MS = 7_000;
const RECONNECT_PAUSE_MS = 200;

/**
 * The repositories. Records are plain objects; times are `Date`. A call is one round trip unless documented
 * otherwise. Without a store, a call throws `store_unavailable` within seconds. A failed write may still have
 * happened, so every write can be repeated; a repeated insert throws `conflict`. Invalid cursors throw
 * `invalid_request`.
 */
export interface Database extends Awaited<ReturnType<typeof openDatabase>> {}

/**
 * Connects to MongoDB or the embedded store and creates missing indexes. The driver reconnects from then on.
 *
 * @throws {ChorusError} store_unavailable after 10 s, unless it `waits`
 */
export async function connectDatabase(options: ConnectDatabaseOptions): Promise<Database> {
  const { log, uri, waits = false } = options;
  const address = publicAddress(uri);
  let waited = false;
  const mayRetry = (error: unknown) => {
    if (!isStoreUnavailable(error)) return false;
    if (waits && !waited) log.warn(`MONGODB_URI: no answer from ${address}; retrying until it answers`);
    waited = true;
    return true;
  };
  const database = await retryWhile(mayRetry, () => openDatabase(options), {
    pausesMs: backoff(RECONNECT_PAUSE_MS),
    // A failing connection takes longer, so this only retries stores that went down while indexes were built.
    ...(!waits && { deadlineMs: RECONNECT_WITHIN_MS }),
  });
  if (waits && waited) log.warn(`MONGODB_URI: ${address} answers`);
  return database;
}

async function openDatabase({ uri, log, secretKey }: ConnectDatabaseOptions) {
  const connection = await connect(uri);
  try {
    const db = connection.getClient().db();
    await ensureIndexes(db, COLLECTIONS, log);
    const secretBox = secretKey ? await openSecretBox(db, secretKey, log) : null;
    return { ...repositoriesOf(db, secretBox), close: () => connection.close() };
  } catch (error) {
    await connection.close(true);
    throw error;
  }
}

function repositoriesOf(db: Db, secretBox: SecretBox | null) {
  const box = () => {
    if (secretBox === null) throw new TypeError('this process was started without SECRET_KEY');
    return secretBox;
  };
  return {
    executions: createExecutionRepository(db),
    sessions: createSessionRepository(db),
    messages: createMessageRepository(db),
    messageRevisions: createMessageRevisionRepository(db),
    idempotency: createIdempotencyRepository(db),
    usage: createUsageRepository(db),
    budgets: createBudgetRepository(db),
    assets: createAssetRepository(db),
    storage: createStorageRepository(db),
    knowledge: createKnowledgeRepository(db),
    knowledgeSpaces: createKnowledgeSpaceRepository(db),
    archive: createArchiveRepository(db),
    archiveRevisions: createArchiveRevisionRepository(db),
    texts: createTextRepository(db),
    provenance: createProvenanceRepository(db),
    webhookDeliveries: createWebhookDeliveryRepository(db),
    webhookSecrets: createWebhookSecretRepository(db, box),
    deletions: createDeletionRepository(db),
    erasure: createErasure(db),
    users: createUserRepository(db),
    identities: createIdentityRepository(db),
    apiKeys: createApiKeyRepository(db),
    invitations: createInvitationRepository(db),
    agents: createAgentRepository(db),
    folders: createFolderRepository(db),
    shares: createShareRepository(db),
    prompts: createPromptRepository(db),
    mcpServers: createMcpServerRepository(db, box),
    toolApis: createToolApiRepository(db, box),
    batches: createBatchRepository(db),
    batchItems: createBatchItemRepository(db),
    batchParts: createBatchPartRepository(db),
    fileBatches: createFileBatchRepository(db),
    audit: createAuditRepository(db),
    workspaces: createWorkspaceRepository(db),
    refreshTokens: createRefreshTokenRepository(db),
    totp: createTotpRepository(db, box),
    signingKeys: createSigningKeyRepository(db, box),
    secrets: createSecretRepository(db, box),
    providerKeys: createProviderKeyRepository(db, box),
    providerStops: createProviderStopRepository(db),
    limits: createLimitsRepository(db),
    modelSettings: createModelSettingsRepository(db),
    /** Encrypts stored values. Throws in a process that was started without the key. */
    secretBox: {
      seal: (context: string, text: string) => box().seal(context, text),
      open: (context: string, sealed: string) => box().open(context, sealed),
      get keyId() {
        return box().keyId;
      },
    },
    /** Throws `store_unavailable` when the store does not answer. */
    ping: async () => {
      await fromStore(db.command({ ping: 1 }));
    },
    checkWrites: createWriteCheck(db),
  };
}
