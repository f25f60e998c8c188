import type { Route } from '../define-route.ts';
import { createAgent, deleteAgent, getAgent, listAgents, updateAgent } from './agents.ts';
import { createApiKey, disableApiKey, listApiKeys, revokeApiKey } from './api-keys.ts';
import {
  createArchiveUnit,
  deleteArchiveUnit,
  exportArchive,
  getArchiveUnit,
  listArchiveRevisions,
  listArchiveUnits,
  updateArchiveUnit,
} from './archive.ts';
import { createAsset, deleteAsset, getAsset, getAssetContent, getAssetThumbnail, listAssets } from './assets.ts';
import { listAudit } from './audit.ts';
import { forgetLogin, login, loginByCode, logout, refresh } from './auth.ts';
import {
  cancelBatch,
  createBatchRoute,
  deleteBatch,
  getBatch,
  getBatchResults,
  listBatches,
  listBatchItems,
  retryBatch,
  streamBatchEvents,
} from './batches.ts';
import { createCompletion } from './chat.ts';
import { getChatHealth } from './chat-health.ts';
import { streamScopeEvents } from './events.ts';
import { acceptInvitation, createInvitation, joinWorkspace, listInvitations, revokeInvitation } from './invitations.ts';
import { generateImages, generateVideo, readText, verifyMedia } from './iris.ts';
import { cancelJob, deleteJob, getJob, listJobs, retryJob, streamJobEvents } from './jobs.ts';
import {
  createKnowledge,
  deleteKnowledge,
  getKnowledge,
  listKnowledge,
  listKnowledgeChunks,
  retryKnowledge,
  updateKnowledge,
  uploadKnowledge,
} from './knowledge.ts';
import { askKnowledge, searchKnowledge } from './knowledge-questions.ts';
import { endLogin, endOtherLogins, listLogins } from './logins.ts';
import { changePassword, getMe } from './me.ts';
import {
  deleteMessage,
  getMessage,
  listMessageHistory,
  listMessages,
  undoMessageEdit,
  updateMessage,
} from './messages.ts';
import { listModels } from './models.ts';
import { openApiRoute } from './openapi.ts';
import { healthz, metrics, readyz } from './operations.ts';
import { createQueuesTicket } from './queues.ts';
import { createSession, deleteSession, getSession, listSessions, updateSession } from './sessions.ts';
import { beginTotp, confirmTotp, disableTotp, getTotp, renewRecoveryCodes, resetUserTotp } from './totp.ts';
import { getUsage } from './usage.ts';
import { listUsers } from './users.ts';
import { createVoiceTicket, getVoiceMeta, interruptVoiceTurn, runVoiceTurn } from './voice.ts';
import { getDelivery, getWebhookSecret, listDeliveries, redeliver, rotateWebhookSecret } from './webhooks.ts';
import {
  changeMemberRole,
  createWorkspace,
  deleteWorkspace,
  getWorkspace,
  leaveWorkspace,
  listMembers,
  listWorkspaces,
  removeMember,
  renameWorkspace,
} from './workspaces.ts';

/** Every route that is served, the busiest first, since the router looks in this order. */
export const routes: readonly Route[] = [
  createCompletion,
  streamJobEvents,
  streamScopeEvents,
  getJob,
  listJobs,
  cancelJob,
  retryJob,
  deleteJob,
  getChatHealth,
  createBatchRoute,
  listBatches,
  getBatch,
  streamBatchEvents,
  listBatchItems,
  getBatchResults,
  cancelBatch,
  retryBatch,
  deleteBatch,
  createSession,
  listSessions,
  getSession,
  listMessages,
  updateSession,
  deleteSession,
  getMessage,
  updateMessage,
  listMessageHistory,
  undoMessageEdit,
  deleteMessage,
  generateImages,
  generateVideo,
  readText,
  verifyMedia,
  runVoiceTurn,
  createVoiceTicket,
  getVoiceMeta,
  interruptVoiceTurn,
  askKnowledge,
  searchKnowledge,
  uploadKnowledge,
  createKnowledge,
  listKnowledge,
  getKnowledge,
  listKnowledgeChunks,
  updateKnowledge,
  deleteKnowledge,
  retryKnowledge,
  getAssetContent,
  getAssetThumbnail,
  createAsset,
  listAssets,
  getAsset,
  deleteAsset,
  createArchiveUnit,
  listArchiveUnits,
  getArchiveUnit,
  updateArchiveUnit,
  deleteArchiveUnit,
  listArchiveRevisions,
  exportArchive,
  listDeliveries,
  getDelivery,
  redeliver,
  getWebhookSecret,
  rotateWebhookSecret,
  listModels,
  getUsage,
  login,
  refresh,
  loginByCode,
  logout,
  forgetLogin,
  getMe,
  changePassword,
  listLogins,
  endLogin,
  endOtherLogins,
  getTotp,
  beginTotp,
  confirmTotp,
  renewRecoveryCodes,
  disableTotp,
  createApiKey,
  listApiKeys,
  revokeApiKey,
  disableApiKey,
  createAgent,
  listAgents,
  getAgent,
  updateAgent,
  deleteAgent,
  createWorkspace,
  listWorkspaces,
  getWorkspace,
  renameWorkspace,
  deleteWorkspace,
  listMembers,
  changeMemberRole,
  removeMember,
  leaveWorkspace,
  createInvitation,
  listInvitations,
  revokeInvitation,
  acceptInvitation,
  joinWorkspace,
  listAudit,
  listUsers,
  resetUserTotp,
  createQueuesTicket,
  healthz,
  readyz,
  metrics,
  openApiRoute(() => routes),
];
