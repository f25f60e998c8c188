import {
  CheckCircleIcon,
  ChevronRightIcon,
  ExclamationCircleIcon,
  HandRaisedIcon,
  NoSymbolIcon,
  QuestionMarkCircleIcon,
} from '@heroicons/react/24/outline';
import { Loader } from '@mantine/core';
import { Fragment, type ReactNode, useState } from 'react';
import { t } from '../../i18n/i18n.ts';
import type { MessageKey } from '../../i18n/messages.ts';
import { formatDuration } from '../format.tsx';
import classes from './agent-steps.module.css';
import type { StepCall } from './segments.ts';
import { StepFiles } from './step-files.tsx';
import { namedArguments, shortArguments, visibleText } from './step-text.ts';

/** More steps in a row are collapsed into one line. */
const MAX_ROWS = 4;

/** Shows calls of an agent as lines that open, and the files they made. Texts of tools are shown as they are. */
export function AgentSteps({ calls }: { calls: readonly StepCall[] }) {
  return (
    <div className={classes.place}>
      {calls.length > MAX_ROWS && calls.every(hasFinished) ? (
        <Expandable summary={<span className={classes.name}>{summaryOf(calls)}</span>}>
          <Rows calls={calls} />
        </Expandable>
      ) : (
        <Rows calls={calls} />
      )}
      <StepFiles calls={calls} />
    </div>
  );
}

const hasFinished = ({ status }: StepCall) => status !== 'running' && status !== 'awaiting_approval';

function summaryOf(calls: readonly StepCall[]): string {
  const bad = calls.filter(({ status }) => status !== 'succeeded').length;
  const steps = t('components.stepCount', { count: calls.length });
  return bad > 0 ? `${steps} · ${t('components.stepsUnsuccessful', { count: bad })}` : steps;
}

function Rows({ calls }: { calls: readonly StepCall[] }) {
  return (
    <ol className={classes.steps} aria-label={t('components.steps')}>
      {calls.map((call) => (
        <li key={call.id}>
          <Step call={call} />
        </li>
      ))}
    </ol>
  );
}

function Step({ call }: { call: StepCall }) {
  const { label, icon } = STATUSES[call.status] ?? UNKNOWN;
  const time = timeOf(call);
  return (
    <Expandable
      data-status={call.status}
      summary={
        <>
          <span className={classes.icon}>{icon}</span>
          <span className={classes.name}>{call.name}</span>
          <span className={classes.arguments}>{shortArguments(call.arguments)}</span>
          <span className={classes.state}>{call.status === 'succeeded' && time !== null ? time : t(label)}</span>
        </>
      }
    >
      <StepDetails call={call} time={time} />
    </Expandable>
  );
}

function StepDetails({ call, time }: { call: StepCall; time: string | null }) {
  const { label } = STATUSES[call.status] ?? UNKNOWN;
  const isDenied = call.status === 'denied';
  return (
    <div className={classes.details}>
      <p className={classes.fact}>
        {t(label)}
        {time !== null && ` · ${time}`}
        {call.status === 'unknown' && ` · ${t('components.stepInterrupted')}`}
      </p>
      <Arguments json={call.arguments} />
      {call.result !== null && call.result !== '' && (
        <PlainText label={isDenied ? t('components.reason') : t('components.result')}>
          {visibleText(call.result)}
        </PlainText>
      )}
    </div>
  );
}

/** Shows the arguments of a call by name. */
export function Arguments({ json }: { json: string }) {
  const named = namedArguments(json);
  if (named?.length === 0) return <p className={classes.label}>{t('components.noArguments')}</p>;
  return (
    <PlainText label={t('components.arguments')}>
      {named === null ? (
        visibleText(json)
      ) : (
        <dl className={classes.fields}>
          {named.map(([name, value]) => (
            <Fragment key={name}>
              <dt>{name}</dt>
              <dd dir="auto">{value}</dd>
            </Fragment>
          ))}
        </dl>
      )}
    </PlainText>
  );
}

/** Shows text of a model or a tool as it is. */
function PlainText({ label, children }: { label: string; children: ReactNode }) {
  return (
    <>
      <p className={classes.label}>{label}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
      <div className={classes.text} tabIndex={0} dir="auto">
        {children}
      </div>
    </>
  );
}

interface ExpandableProps {
  summary: ReactNode;
  children: ReactNode;
  'data-status'?: string;
}

/** Renders its content only while open: results can be long. */
function Expandable({ summary, children, ...rest }: ExpandableProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details className={classes.step} onToggle={(event) => setIsOpen(event.currentTarget.open)} {...rest}>
      <summary className={classes.summary}>
        {summary}
        <ChevronRightIcon className={classes.chevron} />
      </summary>
      {isOpen && children}
    </details>
  );
}

function timeOf({ started_at, finished_at }: StepCall): string | null {
  if (started_at == null || finished_at == null) return null;
  return formatDuration(Math.max(0, Date.parse(finished_at) - Date.parse(started_at)));
}

interface StepStatus {
  label: MessageKey;
  icon: ReactNode;
}

const UNKNOWN: StepStatus = { label: 'components.unknownOutcome', icon: <QuestionMarkCircleIcon /> };

const STATUSES: Readonly<Record<string, StepStatus>> = {
  running: { label: 'components.running', icon: <Loader size={16} aria-hidden /> },
  awaiting_approval: { label: 'components.needsApproval', icon: <HandRaisedIcon /> },
  succeeded: { label: 'common.done', icon: <CheckCircleIcon /> },
  failed: { label: 'components.failed', icon: <ExclamationCircleIcon /> },
  denied: { label: 'components.denied', icon: <NoSymbolIcon /> },
};
