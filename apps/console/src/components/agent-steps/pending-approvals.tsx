import type { BodyOf, Execution, RequiredAction } from '@chorus/client';
import { Button, Group, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { t } from '../../i18n/i18n.ts';
import { rich } from '../../i18n/rich.tsx';
import { useScope } from '../../scope/scope-context.tsx';
import { useRole } from '../../scope/use-role.ts';
import { Form } from '../form.tsx';
import { Time } from '../format.tsx';
import { ErrorAlert } from '../placeholders.tsx';
import { Dimmed } from '../text.tsx';
import classes from './agent-steps.module.css';
import { Arguments } from './agent-steps.tsx';

type Decision = BodyOf<'POST /jobs/{job_id}/actions'>;

interface PendingApprovalsProps {
  executionId: string;
  /** Distinguishes the waits of one execution. */
  attempt: number;
}

/** Shows the calls that wait for a person, who can approve or deny them here. */
export function PendingApprovals({ executionId, attempt }: PendingApprovalsProps) {
  const { client, scopeKey } = useScope();
  const { canChange } = useRole();
  const queryClient = useQueryClient();
  const queryKey = [scopeKey, 'jobs', 'approvals', executionId, attempt];
  const { data: job, error } = useQuery({
    queryKey,
    queryFn: ({ signal }) => client.jobs.get(executionId, { signal }),
  });
  const decide = useMutation({
    mutationFn: (decision: Decision) => client.jobs.decide(executionId, decision),
    onSuccess: (decided: Execution) => {
      queryClient.setQueryData(queryKey, decided);
      queryClient.invalidateQueries({ queryKey: [scopeKey, 'jobs', 'one', executionId] });
    },
    onError: () => queryClient.invalidateQueries({ queryKey }),
  });
  if (job === undefined) return error && <ErrorAlert error={error} />;
  // Until another worker continues.
  if (job.required_action === null) return <Dimmed>{t('components.continuing')}</Dimmed>;
  const { tool_calls, expires_at } = job.required_action;
  return tool_calls.map((call) => (
    <Approval
      key={call.tool_call_id}
      call={call}
      expiresAt={expires_at}
      onDecide={canChange(job.user_id) ? decide.mutate : undefined}
      isBusy={decide.isPending}
      isPending={decide.isPending && decide.variables.tool_call_id === call.tool_call_id}
    />
  ));
}

interface ApprovalProps {
  call: RequiredAction['tool_calls'][number];
  expiresAt: string;
  /** Absent: the user may not decide. */
  onDecide: ((decision: Decision) => void) | undefined;
  isBusy: boolean;
  isPending: boolean;
}

function Approval({ call, expiresAt, onDecide, isBusy, isPending }: ApprovalProps) {
  const { tool_call_id, name } = call;
  const [isDenying, setIsDenying] = useState(false);
  return (
    <section className={classes.approval} aria-label={t('components.approveCall', { name })}>
      <Text fw={600}>{t('components.approveCallQuestion', { name })}</Text>
      <Dimmed size="xs">{rich('components.waitsForDecision', { time: <Time at={expiresAt} /> })}</Dimmed>
      <Arguments json={call.arguments} />
      {onDecide === undefined ? (
        <Dimmed mt="sm">{t('components.whoCanDecide')}</Dimmed>
      ) : isDenying ? (
        <DenyForm
          onDeny={(reason) => onDecide({ tool_call_id, decision: 'deny', ...(reason !== '' && { reason }) })}
          onCancel={() => setIsDenying(false)}
          isPending={isPending}
        />
      ) : (
        <Group gap="xs" mt="sm">
          <Button
            size="xs"
            onClick={() => onDecide({ tool_call_id, decision: 'approve' })}
            loading={isPending}
            disabled={isBusy && !isPending}
          >
            {t('components.approve')}
          </Button>
          <Button size="xs" variant="default" onClick={() => setIsDenying(true)} disabled={isBusy}>
            {t('components.deny')}
          </Button>
        </Group>
      )}
    </section>
  );
}

interface DenyFormProps {
  onDeny: (reason: string) => void;
  onCancel: () => void;
  isPending: boolean;
}

function DenyForm({ onDeny, onCancel, isPending }: DenyFormProps) {
  const [reason, setReason] = useState('');
  return (
    <Form onSubmit={() => onDeny(reason.trim())}>
      <TextInput
        mt="sm"
        label={t('components.reason')}
        description={t('components.denyReasonHint')}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
        maxLength={2_000}
        autoFocus
      />
      <Group gap="xs" mt="sm">
        <Button type="submit" size="xs" color="red.9" loading={isPending}>
          {t('components.deny')}
        </Button>
        <Button size="xs" variant="subtle" color="gray" onClick={onCancel} disabled={isPending}>
          {t('common.cancel')}
        </Button>
      </Group>
    </Form>
  );
}
