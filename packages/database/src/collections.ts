import { apiKeyCollection } from './accounts/api-keys.ts';
import { identityCollection } from './accounts/identities.ts';
import { refreshTokenCollection } from './accounts/refresh-tokens.ts';
import { signingKeyCollection } from './accounts/signing-keys.ts';
import { totpCollection } from './accounts/totp.ts';
import { userCollection } from './accounts/users.ts';
import { mcpServerCollection } from './agent-tools/mcp-servers.ts';
import { toolApiCollection } from './agent-tools/tool-apis.ts';
import { agentCollection } from './agents/repository.ts';
import { archiveCollection, archiveRevisionCollection } from './archive/schema.ts';
import { assetCollection } from './assets/repository.ts';
import { auditCollection } from './audit/repository.ts';
import { batchPartCollection } from './batch-parts/repository.ts';
import { batchCollection, batchItemCollection } from './batches/schema.ts';
import { budgetCollection } from './budgets/repository.ts';
import type { CollectionSpec } from './collection.ts';
import { deletionCollection } from './deletions/repository.ts';
import { executionCollection } from './executions/schema.ts';
import { folderCollection } from './folders/repository.ts';
import { idempotencyCollection } from './idempotency/repository.ts';
import { knowledgeCollection } from './knowledge/schema.ts';
import { knowledgeSpaceCollection } from './knowledge/spaces.ts';
import { limitsCollection } from './limits/repository.ts';
import { messageCollection, messageRevisionCollection } from './messages/schema.ts';
import { modelSettingsCollection } from './model-settings/repository.ts';
import { promptCollection } from './prompts/repository.ts';
import { certificateCollection, ledgerCollection } from './provenance/repository.ts';
import { providerKeyCollection } from './provider-keys/repository.ts';
import { providerStopCollection } from './provider-stops/repository.ts';
import { readinessCollection } from './readiness.ts';
import { secretCollection } from './secrets/repository.ts';
import { sessionCollection } from './sessions/schema.ts';
import { shareCollection } from './shares/repository.ts';
import { storageCollection } from './storage/repository.ts';
import { textRemovalCollection } from './texts/removals.ts';
import { usageCollection } from './usage/repository.ts';
import { usageStateCollection, usageStepCollection, usageSumCollection } from './usage/sums.ts';
import { webhookDeliveryCollection } from './webhooks/deliveries.ts';
import { webhookSecretCollection } from './webhooks/secrets.ts';
import { invitationCollection } from './workspaces/invitations.ts';
import { membershipCollection, workspaceCollection } from './workspaces/repository.ts';

/** All collections, for indexes and erasure. */
export const COLLECTIONS = [
  executionCollection,
  sessionCollection,
  messageCollection,
  messageRevisionCollection,
  agentCollection,
  folderCollection,
  shareCollection,
  promptCollection,
  mcpServerCollection,
  toolApiCollection,
  usageCollection,
  usageSumCollection,
  usageStepCollection,
  usageStateCollection,
  budgetCollection,
  idempotencyCollection,
  ledgerCollection,
  certificateCollection,
  webhookDeliveryCollection,
  webhookSecretCollection,
  auditCollection,
  assetCollection,
  storageCollection,
  knowledgeCollection,
  knowledgeSpaceCollection,
  archiveCollection,
  archiveRevisionCollection,
  textRemovalCollection,
  batchCollection,
  batchItemCollection,
  batchPartCollection,
  deletionCollection,
  userCollection,
  apiKeyCollection,
  refreshTokenCollection,
  identityCollection,
  totpCollection,
  signingKeyCollection,
  secretCollection,
  workspaceCollection,
  membershipCollection,
  invitationCollection,
  providerKeyCollection,
  providerStopCollection,
  modelSettingsCollection,
  limitsCollection,
  readinessCollection,
] as unknown as readonly CollectionSpec[];
