import type { Message } from '@chorus/client';
import { Fragment } from 'react';
import { Cost } from '../../../components/cost.tsx';
import { formatDuration } from '../../../components/format.tsx';
import { t } from '../../../i18n/i18n.ts';
import classes from './answer-facts.module.css';

/** Shows briefly which model wrote an answer, with its time, tokens, and cost. */
export function AnswerFacts({ message: { model, duration_ms, usage } }: { message: Message }) {
  const tokens = usage?.total_tokens ?? 0;
  const cost = usage?.cost_usd ?? 0;
  const facts = [
    // The provider is in the details.
    model?.slice(model.indexOf('/') + 1),
    duration_ms !== null && formatDuration(duration_ms),
    tokens > 0 && t('conversation.tokenCount', { count: tokens }),
    cost > 0 && <Cost usd={cost} isEstimated={usage?.estimated === true} />,
  ].filter(Boolean);
  if (facts.length === 0) return null;
  return (
    <span className={classes.facts}>
      {facts.map((fact, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they do not change
        <Fragment key={index}>
          {index > 0 && ' · '}
          {fact}
        </Fragment>
      ))}
    </span>
  );
}
