import { ChorusError } from '@chorus/contract';
import type { ParameterKind } from '../define-route.ts';

const NAMES: Record<ParameterKind, string> = {
  workspace: 'workspace',
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
};

/** The one answer for an id that is malformed, unknown, or another scope's: nothing tells which. */
export function unknownRecord(kind: ParameterKind): ChorusError {
  return new ChorusError('not_found', `There is no such ${NAMES[kind]}.`);
}
