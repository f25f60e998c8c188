import type { KnowledgeEntry } from '@chorus/client';
import { useProgressOf } from '../../../data/live-progress.ts';
import classes from './documents.module.css';

const STEPS = ['fetching', 'parsing', 'chunking', 'embedding', 'indexing'] as const;

/** What is done to a document, step by step, as it is told of; of a failed one, where it failed and why. */
export function IngestionSteps({ entry }: { entry: KnowledgeEntry }) {
  const progress = useProgressOf(entry.execution_id);
  const stage = entry.status === 'failed' ? entry.stage : (progress?.stage ?? entry.stage);
  const now = STEPS.indexOf(stage as (typeof STEPS)[number]);
  const counted = progress && progress.total > 0 ? ` ${progress.completed}/${progress.total}` : '';
  return (
    <ol className={classes.steps} aria-label="Steps">
      {STEPS.map((step, at) => {
        const state = at < now ? 'done' : at > now ? 'later' : entry.status === 'failed' ? 'failed' : 'now';
        return (
          <li key={step} data-state={state} aria-current={state === 'now' ? 'step' : undefined}>
            {state === 'done' ? '✓' : state === 'later' ? '·' : state === 'failed' ? '✕' : '▸'} {step}
            {state === 'now' && counted}
          </li>
        );
      })}
      {entry.error && <li data-state="failed">{entry.error.message}</li>}
    </ol>
  );
}
