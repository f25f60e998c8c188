import type { Message } from '@chorus/client';
import { ChevronLeftIcon, ChevronRightIcon } from '@heroicons/react/24/outline';
import { ActionIcon } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ComponentType, SVGProps } from 'react';
import { messagesKey } from '../../../data/list-key.ts';
import { refresh } from '../../../data/refresh.ts';
import { t } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import classes from './answer-versions.module.css';

interface AnswerVersionsProps {
  message: Message;
  isDisabled: boolean;
}

/** Steps through the answers to the same question. */
export function AnswerVersions({ message: { id: shown, version, session_id }, isDisabled }: AnswerVersionsProps) {
  const { client, scopeKey } = useScope();
  const queryClient = useQueryClient();
  const restore = useMutation({
    mutationFn: (id: string) => client.messages.restore(id),
    onSettled: () => refresh(queryClient, messagesKey(scopeKey, session_id), { whole: true }),
  });
  if (version === null) return null;
  const { number, count, previous_id, next_id } = version;
  // The feed may show the version before the request has ended.
  const isStepping = restore.isPending && restore.variables !== shown;
  const stepTo = (id: string | null) =>
    id === null || isDisabled || isStepping ? undefined : () => restore.mutate(id);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div className={classes.versions} role="group" aria-label={t('conversation.versionsOfThisAnswer')}>
      <Step label={t('conversation.previousVersion')} icon={ChevronLeftIcon} onClick={stepTo(previous_id)} />
      <span role="status" aria-label={t('conversation.versionOf', { number, count })}>
        {number}/{count}
      </span>
      <Step label={t('conversation.nextVersion')} icon={ChevronRightIcon} onClick={stepTo(next_id)} />
    </div>
  );
}

interface StepProps {
  label: string;
  icon: ComponentType<SVGProps<SVGSVGElement>>;
  /** Absent: not available. The button keeps the focus. */
  onClick: (() => void) | undefined;
}

function Step({ label, icon: Icon, onClick }: StepProps) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="sm"
      aria-label={label}
      aria-disabled={onClick === undefined}
      className={classes.step}
      onClick={onClick}
    >
      <Icon className="mirrored" />
    </ActionIcon>
  );
}
