import { t } from '../i18n/i18n.ts';
import type { MessageKey } from '../i18n/messages.ts';

const LABELS: Readonly<Record<string, MessageKey>> = {
  active: 'components.statusActive',
  cancelled: 'components.statusCancelled',
  cancelling: 'components.statusCancelling',
  completed: 'components.statusCompleted',
  delivered: 'components.statusDelivered',
  disabled: 'components.statusDisabled',
  expired: 'components.statusExpired',
  failed: 'components.statusFailed',
  pending: 'components.statusPending',
  processing: 'components.statusProcessing',
  queued: 'components.statusQueued',
  ready: 'components.statusReady',
  requires_action: 'components.statusNeedsApproval',
  revoked: 'components.statusRevoked',
  running: 'components.statusRunning',
  succeeded: 'components.statusSucceeded',
};

const STAGES: Readonly<Record<string, MessageKey>> = {
  chunking: 'components.stageChunking',
  drawing: 'components.stageDrawing',
  embedding: 'components.stageEmbedding',
  fetching: 'components.stageFetching',
  indexing: 'components.stageIndexing',
  parsing: 'components.stageParsing',
  preparing: 'components.stagePreparing',
  reading: 'components.stageReading',
  rendering: 'components.stageRendering',
  started: 'components.stageStarting',
  starting: 'components.stageStarting',
  storing: 'components.stageStoring',
  transcribing: 'components.stageTranscribing',
};

const ROLES: Readonly<Record<string, MessageKey>> = {
  viewer: 'components.roleViewer',
  editor: 'components.roleEditor',
  admin: 'components.roleAdmin',
  owner: 'components.roleOwner',
};

/** Names of a newer server are shown as they are. */
const labelIn = (labels: Readonly<Record<string, MessageKey>>) => (name: string) => {
  const key = labels[name];
  return key === undefined ? name : t(key);
};

export const statusLabel = labelIn(LABELS);
export const stageLabel = labelIn(STAGES);
export const roleLabel = labelIn(ROLES);
