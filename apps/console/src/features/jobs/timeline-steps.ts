import type { StreamFrame } from '@chorus/client';

/** One step of what happened: events that tell the same, joined. */
export interface Step {
  type: StreamFrame['type'];
  title: string;
  detail: string;
  /** How many events. */
  count: number;
  /** The number of the first of them. */
  first: number;
}

const RESETS: Readonly<Record<string, string>> = {
  provider_failed: 'The model failed; another one answers',
  worker_lost: 'A worker died; another one took over',
  handed_back: 'A worker was told to stop; another one took over',
  log_trimmed: 'Earlier events are not kept any more',
  log_lost: 'Earlier events were lost',
};

/** The steps after one more event. */
export function withFrame(steps: readonly Step[], frame: StreamFrame): readonly Step[] {
  const { title, detail } = wordsOf(frame);
  const last = steps.at(-1);
  const isSame =
    last?.type === frame.type &&
    (frame.type === 'text.delta' || frame.type === 'progress' || frame.type === 'audio.delta');
  if (!isSame) return [...steps, { type: frame.type, title, detail, count: 1, first: frame.seq }];
  const joined = frame.type === 'text.delta' ? Number.parseInt(last.detail, 10) + frame.delta.length : 0;
  const text = frame.type === 'text.delta' ? `${joined} characters` : detail;
  return [...steps.slice(0, -1), { ...last, detail: text, count: last.count + 1 }];
}

function wordsOf(frame: StreamFrame): { title: string; detail: string } {
  switch (frame.type) {
    case 'execution.queued':
      return { title: 'Queued', detail: '' };
    case 'execution.started':
      return { title: 'Started', detail: frame.attempt > 1 ? `Attempt ${frame.attempt}` : '' };
    case 'text.delta':
      return { title: 'Writing', detail: `${frame.delta.length} characters` };
    case 'audio.delta':
      return { title: 'Speaking', detail: '' };
    case 'text.reset':
      return { title: 'Begun anew', detail: RESETS[frame.reason] ?? frame.reason };
    case 'progress':
      return {
        title: 'Progress',
        detail: `${frame.progress.stage}: ${frame.progress.completed} of ${frame.progress.total}`,
      };
    case 'output.item':
      return { title: 'Finished a part', detail: frame.item.type };
    case 'execution.succeeded':
      return { title: 'Succeeded', detail: '' };
    case 'execution.failed':
      return { title: 'Failed', detail: frame.execution.error?.message ?? '' };
    case 'execution.cancelled':
      return { title: 'Cancelled', detail: '' };
  }
}
