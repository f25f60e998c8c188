import { KINDS } from '@chorus/contract';
import { type Route, servedPath } from './define-route.ts';
import { PASSWORD, type recordMakers } from './test-people.ts';

/** The contract's permissions, repeated here so that changes to the table in code are noticed. */
export const NEEDED = {
  read: { role: 'viewer', permission: 'read' },
  write: { role: 'editor', permission: 'write' },
  run: { role: 'editor', permission: 'run' },
  manage: { role: 'admin', permission: 'manage' },
  own: { role: 'owner', permission: 'manage' },
  account: { role: 'viewer', permission: null },
  operate: { role: 'viewer', permission: 'operator' },
} as const;

type Record = keyof ReturnType<typeof recordMakers>;

export interface RouteCase {
  /** `open`: no credential is needed. */
  needs: keyof typeof NEEDED | 'open';
  /** The record in the path, and who in the scope can see it. */
  record?: { made: Record; as: string; seenBy: 'members' | 'maker' | 'user' };
  /** Editors can change their own records, admins all. */
  changes?: true;
  /** Other path parameters. */
  path?: ('workspace' | 'member' | 'invitation')[];
  /** A model in the path. */
  model?: string;
  /** A provider in the path. */
  provider?: string;
  body?: unknown;
  /** Accepts a file. */
  form?: true;
  /** A success is an endless stream. */
  endless?: true;
  /** The answer to authorized callers, if it is not a success. */
  answers?: string;
  /** Consumes its login or workspace, so each call needs a fresh one. `logins`: all logins of its user. */
  uses?: 'login' | 'logins' | 'workspace';
}

const shareToken = { made: 'shareToken', as: 'token', seenBy: 'user' } as const;
const folder = { made: 'folder', as: 'folder_id', seenBy: 'maker' } as const;
const session = { made: 'session', as: 'session_id', seenBy: 'maker' } as const;
const message = { made: 'message', as: 'message_id', seenBy: 'maker' } as const;
const endedJob = { made: 'endedJob', as: 'job_id', seenBy: 'members' } as const;
const waitingJob = { made: 'waitingJob', as: 'job_id', seenBy: 'members' } as const;
const queuedJob = { made: 'queuedJob', as: 'job_id', seenBy: 'members' } as const;
const endedResponse = { made: 'endedResponse', as: 'response_id', seenBy: 'members' } as const;
const queuedResponse = { made: 'queuedResponse', as: 'response_id', seenBy: 'members' } as const;
const runningBatch = { made: 'runningBatch', as: 'batch_id', seenBy: 'members' } as const;
const endedBatch = { made: 'endedBatch', as: 'batch_id', seenBy: 'members' } as const;
const agent = { made: 'agent', as: 'agent_id', seenBy: 'members' } as const;
const prompt = { made: 'prompt', as: 'prompt_id', seenBy: 'members' } as const;
const server = { made: 'mcpServer', as: 'server_id', seenBy: 'members' } as const;
const toolApi = { made: 'toolApi', as: 'api_id', seenBy: 'members' } as const;
const openApi = JSON.stringify({ openapi: '3.1.0', paths: { '/x': { get: {} } } });
const entry = { made: 'entry', as: 'entry_id', seenBy: 'members' } as const;
const unit = { made: 'archiveUnit', as: 'unit_id', seenBy: 'members' } as const;
const asset = { made: 'asset', as: 'asset_id', seenBy: 'members' } as const;
const file = { made: 'file', as: 'file_id', seenBy: 'members' } as const;
const fileBatch = { made: 'fileBatch', as: 'file_batch_id', seenBy: 'members' } as const;
const delivery = { made: 'delivery', as: 'delivery_id', seenBy: 'members' } as const;
const proof = { current_password: PASSWORD, code: '123456' };
const apiKey = { made: 'apiKey', as: 'key_id', seenBy: 'user' } as const;

/** A kind's route without its own case: an empty request shows who has access. */
const ofKinds = Object.values(KINDS).map(({ path }): [string, RouteCase] => [
  `post ${path}`,
  { needs: 'run', body: {}, answers: '400 invalid_request' },
]);

/** Returns the name of a route's case: `METHOD path`, the path without `/api/v1`. */
export const caseOf = (route: Route) => `${route.method} ${route.at === undefined ? route.path : servedPath(route)}`;

/** All routes. A missing route fails the test. */
export const ROUTE_CASES: { [route: string]: RouteCase } = {
  ...Object.fromEntries(ofKinds),
  'post /chat/completions': { needs: 'run', body: { messages: [{ role: 'user', content: 'Hi' }] } },
  'get /jobs/:job_id/events': { needs: 'read', record: endedJob },
  'get /jobs/:job_id': { needs: 'read', record: endedJob },
  'get /jobs': { needs: 'read' },
  'get /events': { needs: 'read', endless: true },
  'post /jobs/:job_id/cancel': { needs: 'run', record: queuedJob, changes: true },
  'post /jobs/:job_id/actions': {
    needs: 'run',
    record: waitingJob,
    body: { tool_call_id: 'call_1', decision: 'deny' },
    changes: true,
  },
  'post /jobs/:job_id/retry': { needs: 'run', record: endedJob, body: {} },
  'delete /jobs/:job_id': { needs: 'write', record: endedJob, changes: true },
  'post /batches': { needs: 'run', body: { kind: 'iris.image', items: [{ body: { prompt: 'A red sun' } }] } },
  'get /batches': { needs: 'read' },
  'get /batches/:batch_id': { needs: 'read', record: runningBatch },
  'get /batches/:batch_id/events': { needs: 'read', record: endedBatch },
  'get /batches/:batch_id/items': { needs: 'read', record: runningBatch },
  'get /batches/:batch_id/results': { needs: 'read', record: endedBatch },
  'post /batches/:batch_id/cancel': { needs: 'run', record: runningBatch, changes: true },
  'post /batches/:batch_id/retry': { needs: 'run', record: endedBatch, changes: true },
  'delete /batches/:batch_id': { needs: 'write', record: endedBatch, changes: true },

  'get /chat/health': { needs: 'read' },
  'post /iris/generate': { needs: 'run', body: { prompt: 'A red sun' } },
  'post /iris/video': { needs: 'run', body: { prompt: 'A red sun' } },
  'post /iris/ocr': { needs: 'run', body: { url: 'https://example.org/none.png' } },
  'post /iris/verify': { needs: 'run', body: { url: 'https://example.org/none.png' } },
  'post /voice/chat': { needs: 'run', body: { text: 'Hi' } },
  'post /console/knowledge/ask': { needs: 'run', body: { question: 'When?' } },
  'post /console/knowledge/search': { needs: 'run', body: { query: 'When?' } },
  'post /voice/chat/meta': { needs: 'read', body: {} },
  'post /voice/tickets': { needs: 'run' },
  'post /voice/interrupt/:session_id': { needs: 'run', record: session },
  'get /models': { needs: 'read' },
  'get /kinds': { needs: 'read' },

  'post /openai/v1/audio/speech': { needs: 'run', body: {}, answers: '400 invalid_request' },
  'post /openai/v1/audio/transcriptions': { needs: 'run', body: {}, answers: '415 unsupported_media_type' },
  'post /openai/v1/audio/translations': { needs: 'run', body: {}, answers: '415 unsupported_media_type' },
  'post /openai/v1/chat/completions': { needs: 'run', body: {}, answers: '400 invalid_request' },
  'post /openai/v1/responses': { needs: 'run', body: {}, answers: '400 invalid_request' },
  'get /openai/v1/responses/:response_id': { needs: 'read', record: endedResponse },
  'get /openai/v1/responses/:response_id/input_items': { needs: 'read', record: endedResponse },
  'post /openai/v1/responses/:response_id/cancel': { needs: 'run', record: queuedResponse, changes: true },
  'delete /openai/v1/responses/:response_id': { needs: 'write', record: endedResponse, changes: true },
  'post /openai/v1/embeddings': { needs: 'run', body: {}, answers: '400 invalid_request' },
  'post /openai/v1/images/generations': { needs: 'run', body: {}, answers: '400 invalid_request' },
  'post /openai/v1/images/edits': { needs: 'run', form: true, answers: '400 invalid_request' },
  'post /openai/v1/files': { needs: 'write', form: true, answers: '400 invalid_request' },
  'get /openai/v1/files': { needs: 'read' },
  'get /openai/v1/files/:file_id': { needs: 'read', record: file },
  'get /openai/v1/files/:file_id/content': { needs: 'read', record: file },
  'delete /openai/v1/files/:file_id': { needs: 'write', record: file, changes: true },
  'post /openai/v1/batches': { needs: 'run', body: {}, answers: '400 invalid_request' },
  'get /openai/v1/batches': { needs: 'read' },
  'get /openai/v1/batches/:file_batch_id': { needs: 'read', record: fileBatch },
  'post /openai/v1/batches/:file_batch_id/cancel': { needs: 'run', record: fileBatch, changes: true },
  'get /openai/v1/models': { needs: 'read' },
  'get /openai/v1/models/*model': { needs: 'read', model: 'embedded/assistant' },
  'post /anthropic/v1/messages': { needs: 'run', body: {}, answers: '400 invalid_request' },
  'post /anthropic/v1/messages/count_tokens': { needs: 'run', body: {}, answers: '400 invalid_request' },
  'get /anthropic/v1/models': { needs: 'read' },
  'get /anthropic/v1/models/*model': { needs: 'read', model: 'embedded/assistant' },

  'post /mcp': { needs: 'read', body: { jsonrpc: '2.0', id: 1, method: 'ping' } },
  'get /mcp': { needs: 'read', answers: '405 method_not_allowed' },
  'delete /mcp': { needs: 'read', answers: '400 invalid_request' },

  'post /sessions': { needs: 'write', body: {} },
  'post /sessions/title': { needs: 'run', body: { session_id: 'ses_x' }, answers: '404 not_found' },
  'get /sessions': { needs: 'read' },
  'get /sessions/export': { needs: 'read' },
  'get /sessions/:session_id/export': { needs: 'read', record: session },
  'post /sessions/import': { needs: 'write', body: { object: 'unknown' } },
  'get /sessions/:session_id': { needs: 'read', record: session },
  'get /sessions/:session_id/messages': { needs: 'read', record: session },
  'patch /sessions/:session_id': { needs: 'write', record: session, body: { title: 'x' } },
  'post /sessions/:session_id/fork': { needs: 'write', record: session, body: {} },
  'delete /sessions/:session_id': { needs: 'write', record: session },

  'post /folders': { needs: 'write', body: { name: 'x' } },
  'get /folders': { needs: 'read' },
  'patch /folders/:folder_id': { needs: 'write', record: folder, body: { name: 'x' } },
  'delete /folders/:folder_id': { needs: 'write', record: folder },

  'post /sessions/:session_id/shares': { needs: 'write', record: { ...session, made: 'answeredSession' }, body: {} },
  'get /shares': { needs: 'read' },
  'get /shares/members': { needs: 'manage' },
  'delete /shares/members/:share_id': {
    needs: 'manage',
    record: { made: 'share', as: 'share_id', seenBy: 'members' },
  },
  'delete /shares/:share_id': { needs: 'write', record: { made: 'share', as: 'share_id', seenBy: 'maker' } },
  'get /shared/:token': { needs: 'open', record: shareToken },
  'get /shared/:token/messages': { needs: 'open', record: shareToken },
  // Without an id of an image. routes/shares.test.ts has the rest.
  'get /shared/:token/images/:asset_id': { needs: 'open', record: shareToken, answers: '404 route_not_found' },

  'get /messages/:message_id': { needs: 'read', record: message },
  'patch /messages/:message_id': { needs: 'write', record: message, body: { content: 'x' } },
  'get /messages/:message_id/history': { needs: 'read', record: message },
  'post /messages/:message_id/rate': {
    needs: 'write',
    record: { ...message, made: 'answer' },
    body: { rating: 'up' },
  },
  'post /messages/:message_id/restore': { needs: 'write', record: { ...message, made: 'replacedAnswer' } },
  'post /messages/:message_id/undo': { needs: 'write', record: { ...message, made: 'editedMessage' } },
  'delete /messages/:message_id': { needs: 'write', record: message },

  'post /agents': { needs: 'write', body: { name: 'x' } },
  'get /agents': { needs: 'read' },
  'get /agents/:agent_id': { needs: 'read', record: agent },
  'patch /agents/:agent_id': { needs: 'write', record: agent, changes: true, body: { name: 'x' } },
  'delete /agents/:agent_id': { needs: 'write', record: agent, changes: true },

  'post /prompts': { needs: 'write', body: { name: 'x', content: 'y' } },
  'get /prompts': { needs: 'read' },
  'get /prompts/:prompt_id': { needs: 'read', record: prompt },
  'patch /prompts/:prompt_id': { needs: 'write', record: prompt, changes: true, body: { name: 'x' } },
  'delete /prompts/:prompt_id': { needs: 'write', record: prompt, changes: true },

  'post /mcp-servers': { needs: 'manage', body: { name: 'x', url: 'https://mcp.example.org/' } },
  'get /mcp-servers': { needs: 'read' },
  'get /mcp-servers/:server_id': { needs: 'read', record: server },
  'get /mcp-servers/:server_id/tools': { needs: 'run', record: server, answers: '502 download_failed' },
  'patch /mcp-servers/:server_id': { needs: 'manage', record: server, body: { name: 'x' } },
  'delete /mcp-servers/:server_id': { needs: 'manage', record: server },

  'post /tool-apis': { needs: 'manage', body: { name: 'x', document: openApi, base_url: 'https://api.example.org/' } },
  'get /tool-apis': { needs: 'read' },
  'get /tool-apis/:api_id': { needs: 'read', record: toolApi },
  'patch /tool-apis/:api_id': { needs: 'manage', record: toolApi, body: { name: 'x' } },
  'delete /tool-apis/:api_id': { needs: 'manage', record: toolApi },

  'post /console/knowledge': { needs: 'write', body: { content: 'Words' } },
  'post /console/knowledge/upload': { needs: 'write', form: true },
  'get /console/knowledge': { needs: 'read' },
  'get /console/knowledge/:entry_id': { needs: 'read', record: entry },
  'get /console/knowledge/:entry_id/chunks': { needs: 'read', record: entry },
  'patch /console/knowledge/:entry_id': { needs: 'write', record: entry, changes: true, body: { title: 'x' } },
  'delete /console/knowledge/:entry_id': { needs: 'write', record: entry, changes: true },
  'post /console/knowledge/:entry_id/retry': { needs: 'run', record: { ...entry, made: 'failedEntry' }, body: {} },

  'post /archive/units': { needs: 'write', body: { content: 'Words' } },
  'get /archive/units': { needs: 'read' },
  'get /archive/units/:unit_id': { needs: 'read', record: unit },
  'patch /archive/units/:unit_id': { needs: 'write', record: unit, changes: true, body: { title: 'x' } },
  'delete /archive/units/:unit_id': { needs: 'write', record: unit, changes: true },
  'get /archive/units/:unit_id/revisions': { needs: 'read', record: unit },
  'get /archive/export': { needs: 'read' },

  'post /assets': { needs: 'write', form: true },
  'get /assets': { needs: 'read' },
  'get /assets/:asset_id': { needs: 'read', record: asset },
  'get /assets/:asset_id/content': { needs: 'read', record: asset },
  'get /assets/:asset_id/thumbnail': { needs: 'read', record: asset },
  'delete /assets/:asset_id': { needs: 'write', record: asset, changes: true },

  'post /api-keys': { needs: 'account', body: { name: 'x' } },
  'get /api-keys': { needs: 'read' },
  'post /api-keys/:key_id/revoke': { needs: 'account', record: apiKey },
  'post /api-keys/:key_id/disable': { needs: 'account', record: apiKey, body: {} },

  'get /api-keys/:key_id/budget': { needs: 'account', record: apiKey },
  'patch /api-keys/:key_id/budget': { needs: 'account', record: apiKey, body: { daily_usd: 5 } },

  'get /me': { needs: 'read' },
  'get /me/export': { needs: 'account' },
  'get /me/deletion': { needs: 'account' },
  // Without the password. routes/account.test.ts has the rest.
  'post /me/deletion': { needs: 'account', body: {}, answers: '400 invalid_request' },
  'get /me/instructions': { needs: 'account' },
  'patch /me/instructions': { needs: 'account', body: { about_me: 'x' } },
  'post /me/password': { needs: 'account', body: { current_password: PASSWORD, new_password: PASSWORD } },
  'get /me/logins': { needs: 'account' },
  'delete /me/logins': { needs: 'account', uses: 'logins' },
  'delete /me/logins/:login_id': { needs: 'account', record: { made: 'login', as: 'login_id', seenBy: 'user' } },
  'get /me/totp': { needs: 'account' },
  'post /me/totp/confirm': { needs: 'account', body: { code: '123456' }, answers: '404 not_found' },
  'post /me/totp/recovery-codes': { needs: 'account', body: proof, answers: '404 not_found' },
  'post /me/totp/disable': { needs: 'account', body: proof, answers: '404 not_found' },
  'post /me/totp': { needs: 'account', body: { current_password: PASSWORD } },
  'post /auth/logout': { needs: 'account', uses: 'login' },
  'post /auth/login': {
    needs: 'open',
    body: { email: 'nobody@example.com', password: 'x' },
    answers: '401 invalid_credentials',
  },
  'post /auth/totp': { needs: 'open', body: { challenge: 'x', code: '123456' }, answers: '401 unauthorized' },
  'get /auth/methods': { needs: 'open' },
  'post /auth/oidc-start': { needs: 'open', body: {}, answers: '404 not_found' },
  'get /auth/oidc-callback': { needs: 'open', answers: '303 ok' },
  'get /auth/oidc-end': { needs: 'open', answers: '303 ok' },
  'post /auth/oidc': { needs: 'open', body: { ticket: 'x' }, answers: '404 not_found' },
  'post /auth/device': { needs: 'open' },
  'post /auth/device/token': { needs: 'open', body: { device_code: 'x' }, answers: '400 expired_token' },
  'get /auth/device': { needs: 'account', answers: '400 invalid_request' },
  'post /auth/device/decision': {
    needs: 'account',
    body: { user_code: 'BCDFGHJK', approve: true },
    answers: '404 not_found',
  },
  'post /auth/refresh': { needs: 'open', body: { refresh_token: 'x' }, answers: '401 unauthorized' },
  'post /auth/forget': { needs: 'open', answers: '422 invalid_header' },
  'post /invitations/accept': {
    needs: 'open',
    body: { token: 'x', password: 'long enough' },
    answers: '404 not_found',
  },

  'post /me/invitations/accept': { needs: 'account', body: { token: 'x' }, answers: '404 not_found' },

  'post /workspaces': { needs: 'account', body: { name: 'x' } },
  'get /workspaces': { needs: 'read' },
  'get /workspaces/:workspace_id': { needs: 'read', path: ['workspace'] },
  'patch /workspaces/:workspace_id': { needs: 'manage', path: ['workspace'], body: { name: 'x' } },
  'delete /workspaces/:workspace_id': { needs: 'own', path: ['workspace'], uses: 'workspace' },
  'get /workspaces/:workspace_id/budget': { needs: 'manage', path: ['workspace'] },
  'patch /workspaces/:workspace_id/budget': { needs: 'manage', path: ['workspace'], body: { daily_usd: 5 } },
  'get /workspaces/:workspace_id/members': { needs: 'read', path: ['workspace'] },
  'patch /workspaces/:workspace_id/members/:user_id': {
    needs: 'manage',
    path: ['workspace', 'member'],
    body: { role: 'editor' },
  },
  'delete /workspaces/:workspace_id/members/:user_id': { needs: 'manage', path: ['workspace', 'member'] },
  'post /workspaces/:workspace_id/leave': { needs: 'account', path: ['workspace'], uses: 'workspace' },
  'post /workspaces/:workspace_id/invitations': {
    needs: 'manage',
    path: ['workspace'],
    body: { email: 'someone@example.com' },
  },
  'get /workspaces/:workspace_id/invitations': { needs: 'manage', path: ['workspace'] },
  'delete /workspaces/:workspace_id/invitations/:invitation_id': { needs: 'manage', path: ['workspace', 'invitation'] },
  'get /audit': { needs: 'manage' },
  'get /usage': { needs: 'read' },

  'get /webhook-deliveries': { needs: 'read' },
  'get /webhook-deliveries/:delivery_id': { needs: 'read', record: delivery },
  'post /webhook-deliveries/:delivery_id/redeliver': { needs: 'run', record: delivery, changes: true },
  'get /webhook-secret': { needs: 'manage' },
  'post /webhook-secret/rotate': { needs: 'manage' },

  'get /model-settings': { needs: 'operate' },
  'patch /model-settings': { needs: 'operate', body: { chat: null } },
  'get /providers': { needs: 'operate' },
  'patch /providers/:provider': { needs: 'operate', provider: 'openai', body: { api_key: 'sk-12345678' } },
  'delete /providers/:provider': { needs: 'operate', provider: 'openai' },
  'post /providers/:provider/test': { needs: 'operate', provider: 'openai', body: {} },
  'get /users/usage': { needs: 'operate' },
  'patch /limits': { needs: 'operate', body: { uploads: null } },
  'get /limits': { needs: 'operate' },
  'get /users': { needs: 'operate' },
  'patch /users/:user_id': {
    needs: 'operate',
    record: { made: 'user', as: 'user_id', seenBy: 'user' },
    body: { disabled: true },
  },
  'post /users/invitations': { needs: 'operate', body: { email: 'new@example.org' } },
  'get /users/invitations': { needs: 'operate' },
  'delete /users/invitations/:invitation_id': {
    needs: 'operate',
    record: { made: 'user', as: 'invitation_id', seenBy: 'user' },
  },
  'delete /users/:user_id/totp': { needs: 'operate', record: { made: 'user', as: 'user_id', seenBy: 'user' } },
  'get /queues': { needs: 'operate' },
  'get /queues/jobs': { needs: 'operate' },
  'post /queues/jobs/retry': { needs: 'operate', body: { ids: ['job_01m8by3hggfk7bps89mgd1fazc'] } },
  'get /lanes': { needs: 'operate' },
  'post /lanes/resume': { needs: 'operate', body: { provider: 'openai' } },
  'post /queues/jobs/cancel': { needs: 'operate', body: { ids: ['job_01m8by3hggfk7bps89mgd1fazc'] } },

  'get /healthz': { needs: 'open' },
  'get /readyz': { needs: 'open' },
  'get /metrics': { needs: 'open' },
  'get /metrics/platform': { needs: 'open' },
  'get /openapi.json': { needs: 'open' },
};
