import { ChorusError } from '@chorus/contract';
import type { ParameterKind } from '../define-route.ts';

const NAMES: Record<ParameterKind, string> = {
  workspace: 'workspace',
  model: 'model',
  provider: 'provider',
  response: 'response',
  file: 'file',
  fileBatch: 'batch',
  user: 'user',
  session: 'session',
  message: 'message',
  apiKey: 'API key',
  job: 'job',
  asset: 'asset',
  knowledge: 'knowledge entry',
  archive: 'archive unit',
  agent: 'agent',
  batch: 'batch',
  invitation: 'invitation',
  audit: 'entry',
  webhookDelivery: 'webhook delivery',
  login: 'login',
  mcpServer: 'MCP server',
  toolApi: 'API',
  folder: 'folder',
  share: 'link',
  shareToken: 'shared conversation',
  prompt: 'prompt',
};

/** Returns the same error for malformed and unknown ids and those of other scopes, so that it reveals nothing. */
export function unknownRecord(kind: ParameterKind): ChorusError {
  return new ChorusError('not_found', `There is no such ${NAMES[kind]}.`);
}
