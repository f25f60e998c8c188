import type { StreamFrame, ToolCallItem } from '@chorus/client';

/** A step of the timeline. Consecutive events of the same type are joined. */
export interface Step {
  type: StreamFrame['type'];
  title: string;
  detail: string;
  count: number;
  first: number;
}

const RESET_REASONS: Readonly<Record<string, string>> = {
  provider_failed: 'The model failed, and another one answers',
  worker_lost: 'A worker died, and another one took over',
  handed_back: 'A worker was shut down, and another one took over',
  log_trimmed: 'Earlier events are no longer available',
  log_lost: 'Earlier events were lost',
};

const CALL_STATES: Readonly<Record<ToolCallItem['status'], string>> = {
  requested: 'Requested',
  awaiting_approval: 'Needs approval',
  running: 'Running',
  succeeded: 'Succeeded',
  failed: 'Failed',
  denied: 'Denied',
  unknown: 'Unknown outcome',
};

export function addFrame(steps: readonly Step[], frame: StreamFrame): readonly Step[] {
  if (isRepeated(frame)) return steps;
  const { title, detail } = describeFrame(frame);
  const last = steps.at(-1);
  if (last?.type !== frame.type || !REPEATED.has(frame.type))
    return [...steps, { type: frame.type, title, detail, count: 1, first: frame.seq }];
  const length = lengthOf(frame);
  const text = length === null ? detail : `${Number.parseInt(last.detail, 10) + length} characters`;
  return [...steps.slice(0, -1), { ...last, detail: text, count: last.count + 1 }];
}

/** Returns whether another frame shows this, too: an item has each state of a call. */
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

function describeFrame(frame: StreamFrame): { title: string; detail: string } {
  switch (frame.type) {
    case 'execution.queued':
      return { title: 'Queued', detail: '' };
    case 'execution.started':
      return { title: 'Started', detail: frame.attempt > 1 ? `Attempt ${frame.attempt}` : '' };
    case 'text.delta':
      return { title: 'Writing', detail: `${frame.delta.length} characters` };
    case 'reasoning.delta':
      return { title: 'Reasoning', detail: `${frame.delta.length} characters` };
    case 'refusal.delta':
      return { title: 'Refusing', detail: `${frame.delta.length} characters` };
    case 'tool_call.delta':
      return { title: `Calling ${frame.name}`, detail: `${frame.arguments_delta.length} characters` };
    case 'execution.requires_action':
      return {
        title: 'Waiting for approval',
        detail: frame.required_action.tool_calls.map(({ name }) => name).join(', '),
      };
    case 'audio.delta':
      return { title: 'Speaking', detail: '' };
    case 'text.reset':
      return { title: 'Restarted', detail: RESET_REASONS[frame.reason] ?? frame.reason };
    case 'progress':
      return {
        title: 'Progress',
        detail: `${frame.progress.stage}: ${frame.progress.completed} of ${frame.progress.total}`,
      };
    case 'output.item':
      return frame.item.type === 'tool_call'
        ? { title: `Tool ${frame.item.name}`, detail: CALL_STATES[frame.item.status] }
        : { title: 'Output ready', detail: frame.item.type };
    case 'execution.succeeded':
      return { title: 'Succeeded', detail: '' };
    case 'execution.failed':
      return { title: 'Failed', detail: frame.execution.error?.message ?? '' };
    case 'execution.cancelled':
      return { title: 'Cancelled', detail: '' };
    default:
      return { title: frame.type, detail: '' };
  }
}
