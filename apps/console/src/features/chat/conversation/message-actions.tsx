import { EllipsisHorizontalIcon } from '@heroicons/react/24/outline';
import { ActionIcon, Loader, Menu, Tooltip } from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { t } from '../../../i18n/i18n.ts';
import { ShareDialog } from '../sessions/share-dialog.tsx';
import { AnswerFacts } from './answer-facts.tsx';
import { MessageHistory } from './message-history.tsx';
import classes from './message-view.module.css';
import { type ActionOptions, type MessageAction, useActions } from './use-actions.ts';

const AnswerDetails = lazy(() => import('./answer-details.tsx'));

type MessageActionsProps = Omit<ActionOptions, 'onHistory' | 'onDetails' | 'onShare'>;

/** The actions of a message. Phones have room for the most important ones; a menu has the others. */
export function MessageActions(props: MessageActionsProps) {
  const { message, isDisabled } = props;
  const [isHistoryOpen, history] = useDisclosure();
  const [isSharing, sharing] = useDisclosure();
  /** Null: not opened yet, and not loaded. */
  const [areDetailsOpen, setDetailsOpen] = useState<boolean | null>(null);
  const isPhone = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
  const { actions, isEditor } = useActions({
    ...props,
    onHistory: history.open,
    onDetails: () => setDetailsOpen(true),
    onShare: sharing.open,
  });
  const isButton = ({ place }: MessageAction) => place === 'button' || (place === 'desktop' && !isPhone);
  const isAnswer = message.role === 'assistant';
  return (
    <div className={classes.actions} data-role={message.role}>
      {actions.filter(isButton).map((action) => (
        <ActionButton key={action.key} action={action} />
      ))}
      <MoreActions actions={actions.filter((action) => !isButton(action))}>
        {isAnswer && isPhone && <AnswerFacts message={message} />}
      </MoreActions>
      {isAnswer && !isPhone && <AnswerFacts message={message} />}
      <MessageHistory
        message={message}
        opened={isHistoryOpen}
        onClose={history.close}
        isDisabled={isDisabled || !isEditor}
      />
      {isSharing && (
        <ShareDialog opened onClose={sharing.close} sessionId={message.session_id} messageId={message.id} />
      )}
      {areDetailsOpen !== null && (
        <Suspense>
          <AnswerDetails message={message} opened={areDetailsOpen} onClose={() => setDetailsOpen(false)} />
        </Suspense>
      )}
    </div>
  );
}

function ActionButton({ action }: { action: MessageAction }) {
  const { label, icon: Icon, onClick, isDisabled, isPressed, isBusy } = action;
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color={isPressed ? undefined : 'gray'}
        size="md"
        aria-label={label}
        aria-pressed={isPressed}
        data-active={isPressed || action.key === 'read-stop' || undefined}
        onClick={onClick}
        disabled={isDisabled}
      >
        {isBusy ? <Loader size={16} aria-hidden /> : <Icon />}
      </ActionIcon>
    </Tooltip>
  );
}

function MoreActions({ actions, children }: { actions: MessageAction[]; children: ReactNode }) {
  if (actions.length === 0) return null;
  return (
    <Menu position="bottom-start" width={220}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="md" aria-label={t('conversation.moreActions')}>
          <EllipsisHorizontalIcon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {actions.map(({ key, label, icon: Icon, onClick, isDisabled, isPressed }) => (
          <Menu.Item
            key={key}
            leftSection={<Icon />}
            color={isPressed ? 'var(--mantine-primary-color-light-color)' : undefined}
            onClick={onClick}
            disabled={isDisabled}
          >
            {label}
          </Menu.Item>
        ))}
        {children && (
          <>
            <Menu.Divider />
            <Menu.Label fw={400}>{children}</Menu.Label>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
