import type { Execution } from '@chorus/client';
import { formatDuration } from '../../components/format.tsx';
import { SectionTitle } from '../../components/text.tsx';
import { t } from '../../i18n/i18n.ts';
import classes from './trace.module.css';
import { type Span, spansOf } from './trace-spans.ts';

/** Shows where the time of an execution went. */
export default function Trace({ job }: { job: Execution }) {
  const spans = spansOf(job, Date.now());
  const total = Math.max(1, ...spans.map(({ end }) => end));
  return (
    <section aria-label={t('jobs.trace')}>
      <SectionTitle mb="xs">{t('jobs.trace')}</SectionTitle>
      <ol className={classes.spans}>
        {spans.map((span) => (
          <Row key={span.key} span={span} total={total} />
        ))}
      </ol>
    </section>
  );
}

function Row({ span, total }: { span: Span; total: number }) {
  const { kind, label, start, end, status } = span;
  const percent = (ms: number) => `${(100 * ms) / total}%`;
  return (
    <li className={classes.span}>
      <span className={classes.label} title={label}>
        {label}
      </span>
      <span className={classes.track} aria-hidden>
        <span
          className={classes.bar}
          data-kind={kind}
          data-status={status}
          style={{ insetInlineStart: percent(start), width: percent(end - start) }}
        />
      </span>
      <span className={classes.time}>{formatDuration(end - start)}</span>
    </li>
  );
}
