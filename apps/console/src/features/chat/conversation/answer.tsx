import { type ExecutionProgress, hasEnded, type Message } from '@chorus/client';
import { ExclamationTriangleIcon } from '@heroicons/react/24/outline';
import { Alert, Button, Group, Loader, Text, VisuallyHidden } from '@mantine/core';
import { skipToken, useQuery } from '@tanstack/react-query';
import { AgentSteps } from '../../../components/agent-steps/agent-steps.tsx';
import { PendingApprovals } from '../../../components/agent-steps/pending-approvals.tsx';
import { type Segment, segmentsOfMessage, segmentsOfProgress } from '../../../components/agent-steps/segments.ts';
import { Markdown } from '../../../components/markdown/markdown.tsx';
import { ErrorState } from '../../../components/placeholders.tsx';
import { shortWaitText } from '../../../components/provider-wait.ts';
import { useSources } from '../../../components/sources.tsx';
import { Dimmed } from '../../../components/text.tsx';
import { Reasoning, ToolCalls } from '../../../components/thoughts.tsx';
import { Warnings } from '../../../components/warnings.tsx';
import { jobErrorText } from '../../../data/describe-error.ts';
import { useExecution } from '../../../data/use-execution.ts';
import { t } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';

interface FinishedAnswerProps {
  message: Message;
  onRegenerate: ((messageId: string) => void) | undefined;
}

export function FinishedAnswer({ message, onRegenerate }: FinishedAnswerProps) {
  const { reference, list } = useSources(message.citations);
  return (
    <div>
      <Reasoning text={message.reasoning_content ?? ''} />
      <AnswerBody segments={segmentsOfMessage(message)} reference={reference} />
      <ToolCalls calls={message.tool_calls.map(({ id, function: called }) => ({ id, ...called }))} />
      {list}
      <Warnings warnings={message.warnings} />
      {message.status === 'cancelled' && <Dimmed mt="xs">{t('conversation.stopped')}</Dimmed>}
      {message.status === 'failed' && (
        <FailedAnswer executionId={message.execution_id} onRetry={onRegenerate && (() => onRegenerate(message.id))} />
      )}
    </div>
  );
}

function FailedAnswer({ executionId, onRetry }: { executionId: string | null; onRetry: (() => void) | undefined }) {
  const { client, scopeKey } = useScope();
  const { data } = useQuery({
    queryKey: [scopeKey, 'jobs', 'one', executionId],
    queryFn: executionId === null ? skipToken : ({ signal }) => client.jobs.get(executionId, { signal }),
  });
  return (
    <Alert color="red" icon={<ExclamationTriangleIcon />} title={t('conversation.thisAnswerFailed')} mt="xs">
      <Text size="sm">{data?.error ? jobErrorText(data.error) : t('conversation.noDetailsAreAvailable')}</Text>
      {onRetry && (
        <Button size="xs" variant="default" mt="sm" onClick={onRetry}>
          {t('common.tryAgain')}
        </Button>
      )}
    </Alert>
  );
}

interface LiveAnswerProps {
  executionId: string;
  /** The message's status, for an execution whose events are lost. */
  status: Message['status'];
  onEnd: () => void;
}

export function LiveAnswer({ executionId, status: stored, onEnd }: LiveAnswerProps) {
  const execution = useExecution(executionId, onEnd);
  const { output, connection, error, reasoning, toolCalls, attempt } = execution;
  const status = execution.status === 'queued' && execution.waitingFor === null ? stored : execution.status;
  const segments = segmentsOfProgress(execution);
  const { reference, list } = useSources(output.filter((item) => item?.type === 'citation'));
  if (error !== null) return <ErrorState error={error} onRetry={onEnd} />;
  return (
    <div>
      <Reasoning text={reasoning} />
      <AnswerBody segments={segments} reference={reference} />
      <ToolCalls calls={toolCalls} />
      {list}
      <VisuallyHidden role="status">
        {status === 'requires_action' && t('conversation.answerWaits')}
        {execution.waitingFor !== null && shortWaitText(execution.waitingFor)}
      </VisuallyHidden>
      {status === 'requires_action' ? (
        <PendingApprovals executionId={executionId} attempt={attempt} />
      ) : hasEnded({ status }) ? null : (
        <Group gap="xs" mt={segments.length === 0 ? 0 : 'xs'}>
          <Loader size="xs" type="dots" aria-hidden />
          <Dimmed>
            {connection === 'waiting' ? t('conversation.connectionLost') : statusText(execution, status, segments)}
          </Dimmed>
        </Group>
      )}
    </div>
  );
}

/** Shows texts and the steps between them. */
function AnswerBody({
  segments,
  reference,
}: {
  segments: Segment[];
  reference: ReturnType<typeof useSources>['reference'];
}) {
  return segments.map((segment, index) =>
    segment.type === 'text' ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces are only added at the end
      <Markdown key={index} text={segment.text} reference={reference} />
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: see above
      <AgentSteps key={index} calls={segment.calls} />
    ),
  );
}

function statusText(
  { progress, waitingFor }: Pick<ExecutionProgress, 'progress' | 'waitingFor'>,
  status: string,
  segments: readonly Segment[],
): string {
  if (waitingFor !== null) return shortWaitText(waitingFor);
  if (status === 'queued') return t('conversation.queued');
  const last = segments.at(-1);
  if (last === undefined && progress?.stage === 'reading')
    return t('conversation.readingDocuments', { count: progress.completed, total: progress.total });
  if (last?.type === 'text') return t('conversation.writing');
  return last?.calls.some((call) => call.status === 'running') ? t('conversation.working') : t('components.thinking');
}
