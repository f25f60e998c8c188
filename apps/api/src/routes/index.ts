import type { Route } from '../define-route.ts';
import { login, refresh } from './auth.ts';
import { createCompletion } from './chat.ts';
import { getChatHealth } from './chat-health.ts';
import { cancelJob, getJob, listJobs, retryJob, streamJobEvents } from './jobs.ts';
import { getMe } from './me.ts';
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
import { createSession, deleteSession, getSession, listSessions, updateSession } from './sessions.ts';

/** Every route that is served, the busiest first, since the router looks in this order. */
export const routes: readonly Route[] = [
  createCompletion,
  streamJobEvents,
  getJob,
  listJobs,
  cancelJob,
  retryJob,
  getChatHealth,
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
  listModels,
  login,
  refresh,
  getMe,
  healthz,
  readyz,
  metrics,
  openApiRoute(() => routes),
];
