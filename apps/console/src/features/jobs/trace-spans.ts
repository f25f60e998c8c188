import type { Execution } from '@chorus/client';
import { agentCallsOf } from '@chorus/client';
import { t } from '../../i18n/i18n.ts';

/** A part of the time of an execution, in milliseconds from its creation. */
export interface Span {
  key: string;
  kind: 'queue' | 'model' | 'call';
  label: string;
  start: number;
  end: number;
  /** Status of a call. */
  status?: string;
}

type Traced = Pick<Execution, 'created_at' | 'started_at' | 'finished_at' | 'output' | 'attempt'>;

/**
 * Splits the time of an execution into the queue, the model, and the calls of each step of an agent. Waiting for
 * people, or for another worker, is part of the time between two steps.
 *
 * @param now end of spans that are still running
 */
export function spansOf(execution: Traced, now: number): Span[] {
  const { created_at, started_at, finished_at, output, attempt } = execution;
  const origin = Date.parse(created_at);
  const since = (time: string | null) => (time === null ? null : Math.max(0, Date.parse(time) - origin));
  const end = since(finished_at) ?? Math.max(0, now - origin);
  const started = since(started_at) ?? end;
  const spans: Span[] = [{ key: 'queue', kind: 'queue', label: t('jobs.queue'), start: 0, end: started }];
  const steps = stepsOf(output);
  const work = steps.length === 0 ? t('jobs.work') : attempt > 1 ? t('jobs.modelAndWaiting') : t('common.model');
  let cursor = started;
  const addModel = (until: number) => {
    if (until > cursor) spans.push({ key: `model-${cursor}`, kind: 'model', label: work, start: cursor, end: until });
  };
  for (const calls of steps) {
    const ran = calls.flatMap((call) => {
      const start = since(call.started_at);
      return start === null ? [] : [{ call, start, end: since(call.finished_at) ?? end }];
    });
    if (ran.length === 0) continue;
    addModel(Math.min(...ran.map(({ start }) => start)));
    for (const { call, ...times } of ran)
      spans.push({ key: call.id, kind: 'call', label: call.name, status: call.status, ...times });
    cursor = Math.max(cursor, ...ran.map((one) => one.end));
  }
  addModel(end);
  return spans;
}

function stepsOf(output: Execution['output']) {
  return [...Map.groupBy(agentCallsOf({ output }), ({ step = 0 }) => step).values()];
}
