import { ChorusError, type IdKind } from '@chorus/contract';

const NAMES: Record<IdKind, string> = {
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
};

/** The one answer for an id that is malformed, unknown, or another scope's: nothing tells which. */
export function unknownRecord(kind: IdKind): ChorusError {
  return new ChorusError('not_found', `There is no such ${NAMES[kind]}.`);
}
