export { BatchRun, type BatchWatchOptions } from './batch-run.ts';
export {
  AuthenticationError,
  ChorusError,
  type ClientErrorCode,
  ConflictError,
  ConnectionError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
} from './chorus-error.ts';
export type { CallOptions, ClientOptions, RequestOptions, Scope, TokenProvider } from './client-options.ts';
export { type ClientTool, type ClientTools, defineTool, type ToolContext } from './client-tools.ts';
export { type ChorusClient, createClient } from './create-client.ts';
export {
  createLogin,
  type DeviceAuthorization,
  type Login,
  type LoginOptions,
  type LoginStore,
  type StoredLogin,
} from './create-login.ts';
export { type ExecuteOptions, type ExecutingCall, succeeded } from './executing.ts';
export type { WatchOptions } from './execution-frames.ts';
export {
  advance,
  agentCallsOf,
  type ExecutionProgress,
  type ExecutionStatus,
  hasEnded,
  isTerminalFrame,
  NO_PROGRESS,
  type RequestedCall,
  type TerminalFrame,
  textOf,
  toolCallsOf,
} from './execution-progress.ts';
export { ExecutionStream, type TextSoFar } from './execution-stream.ts';
export type { ConnectionState, FollowOptions } from './follow.ts';
export type * from './generated/api-types.ts';
export type { ImportOptions, ImportSummary } from './import-sessions.ts';
export type { AnswerOf, BodyOf, FormOf, OperationName, QueryOf } from './operations.ts';
export type { Page } from './pages.ts';
export type { ChangeOptions } from './request-parts.ts';
export type { RunBatchOptions } from './resources/batches.ts';
export type { FeedEvent, FeedOptions } from './resources/events.ts';
export { type RateLimit, type ResponseFacts, rateLimitsOf } from './response-facts.ts';
export {
  type FinishedCall,
  type RunToolsOptions,
  ToolRun,
  type ToolRunEvent,
  type ToolRunResult,
  type ToolTurn,
} from './tool-run.ts';
export type { UploadOptions, UploadProgress } from './upload.ts';
export type { VoiceConnection, VoiceConnectOptions } from './voice-connection.ts';
export type { VoiceClientEvent, VoiceItem, VoiceResponse, VoiceServerEvent, VoiceSession } from './voice-events.ts';
