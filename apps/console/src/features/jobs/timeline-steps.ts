import type { StreamFrame, ToolCallItem } from '@chorus/client';
import { waitText } from '../../components/provider-wait.ts';
import { stageLabel } from '../../components/statuses.ts';
import { jobErrorText } from '../../data/describe-error.ts';
import { t } from '../../i18n/i18n.ts';
import type { MessageKey } from '../../i18n/messages.ts';

/** A step of the timeline. Consecutive events of the same type are joined. */
export interface Step {
  type: StreamFrame['type'];
  title: string;
  detail: string;
  /** Length of joined texts. */
  length: number | null;
  count: number;
  first: number;
}

const RESET_REASONS: Readonly<Record<string, MessageKey>> = {
  provider_failed: 'jobs.resetProviderFailed',
  worker_lost: 'jobs.resetWorkerLost',
  handed_back: 'jobs.resetHandedBack',
  log_trimmed: 'jobs.resetLogTrimmed',
  log_lost: 'jobs.resetLogLost',
};

const CALL_STATES: Readonly<Record<ToolCallItem['status'], MessageKey>> = {
  requested: 'jobs.requested',
  awaiting_approval: 'components.needsApproval',
  running: 'components.running',
  succeeded: 'jobs.succeeded',
  failed: 'components.failed',
  denied: 'components.denied',
  unknown: 'components.unknownOutcome',
};

export function addFrame(steps: readonly Step[], frame: StreamFrame): readonly Step[] {
  if (isRepeated(frame)) return steps;
  const { title, detail } = describeFrame(frame);
  const last = steps.at(-1);
  const added = lengthOf(frame);
  if (last?.type !== frame.type || !REPEATED.has(frame.type))
    return [...steps, { type: frame.type, title, detail, length: added, count: 1, first: frame.seq }];
  const length = added === null ? null : (last.length ?? 0) + added;
  const text = length === null ? detail : t('jobs.characterCount', { count: length });
  return [...steps.slice(0, -1), { ...last, detail: text, length, count: last.count + 1 }];
}

/** Returns whether another frame also shows this: an item has each state of a call. */
function isRepeated(frame: StreamFrame): boolean {
  if (frame.type === 'tool_call.started' || frame.type === 'tool_call.finished') return true;
  const item = frame.type === 'output.item' ? frame.item : null;
  return item?.type === 'tool_call' && item.status === 'running' && item.started_at === null;
}

/** Frames of these types in a row become one step. */
const REPEATED = new Set<StreamFrame['type']>([
  'text.delta',
  'reasoning.delta',
  'refusal.delta',
  'tool_call.delta',
  'audio.delta',
  'progress',
]);

function lengthOf(frame: StreamFrame): number | null {
  if (frame.type === 'tool_call.delta') return frame.arguments_delta.length;
  return 'delta' in frame && frame.type !== 'audio.delta' ? frame.delta.length : null;
}

function resetReason(reason: string): string {
  const key = RESET_REASONS[reason];
  return key === undefined ? reason : t(key);
}

function describeFrame(frame: StreamFrame): { title: string; detail: string } {
  switch (frame.type) {
    case 'execution.queued':
      return { title: t('components.queued'), detail: '' };
    case 'execution.waiting':
      return { title: waitText(frame), detail: '' };
    case 'execution.started':
      return {
        title: t('jobs.started'),
        detail: frame.attempt > 1 ? t('jobs.attempt', { attempt: frame.attempt }) : '',
      };
    case 'text.delta':
      return { title: t('jobs.writing'), detail: t('jobs.characterCount', { count: frame.delta.length }) };
    case 'reasoning.delta':
      return { title: t('components.reasoning'), detail: t('jobs.characterCount', { count: frame.delta.length }) };
    case 'refusal.delta':
      return { title: t('jobs.refusing'), detail: t('jobs.characterCount', { count: frame.delta.length }) };
    case 'tool_call.delta':
      return {
        title: t('jobs.calling', { name: frame.name }),
        detail: t('jobs.characterCount', { count: frame.arguments_delta.length }),
      };
    case 'execution.requires_action':
      return {
        title: t('jobs.waitingForApproval'),
        detail: frame.required_action.tool_calls.map(({ name }) => name).join(', '),
      };
    case 'audio.delta':
      return { title: t('jobs.speaking'), detail: '' };
    case 'text.reset':
      return { title: t('jobs.restarted'), detail: resetReason(frame.reason) };
    case 'progress':
      return {
        title: t('jobs.progress'),
        detail: t('jobs.stageProgress', {
          stage: stageLabel(frame.progress.stage),
          count: frame.progress.completed,
          total: frame.progress.total,
        }),
      };
    case 'output.item':
      return frame.item.type === 'tool_call'
        ? { title: t('jobs.toolNamed', { name: frame.item.name }), detail: t(CALL_STATES[frame.item.status]) }
        : { title: t('jobs.outputReady'), detail: frame.item.type };
    case 'execution.succeeded':
      return { title: t('jobs.succeeded'), detail: '' };
    case 'execution.failed':
      return {
        title: t('components.failed'),
        detail: frame.execution.error ? jobErrorText(frame.execution.error) : '',
      };
    case 'execution.cancelled':
      return { title: t('jobs.cancelled'), detail: '' };
    default:
      return { title: frame.type, detail: '' };
  }
}
