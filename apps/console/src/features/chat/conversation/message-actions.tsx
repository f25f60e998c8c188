import type { Message } from '@chorus/client';
import {
  ArchiveBoxArrowDownIcon,
  ArrowPathIcon,
  CheckIcon,
  ClipboardIcon,
  ClockIcon,
  DocumentDuplicateIcon,
  PencilIcon,
} from '@heroicons/react/24/outline';
import { ActionIcon, CopyButton, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ComponentType, SVGProps } from 'react';
import { useArchive } from '../../../data/queries.ts';
import { useRole } from '../../../scope/use-role.ts';
import { MessageHistory } from './message-history.tsx';
import classes from './message-view.module.css';
import { useFork } from './use-fork.ts';

interface MessageActionsProps {
  message: Message;
  canRegenerate: boolean;
  isDisabled: boolean;
  onEdit: () => void;
  onRegenerate: (messageId: string) => void;
}

export function MessageActions({ message, canRegenerate, isDisabled, onEdit, onRegenerate }: MessageActionsProps) {
  const isEditor = useRole().isAtLeast('editor');
  const [isHistoryOpen, history] = useDisclosure();
  const archive = useArchive('message', message.id);
  const fork = useFork(message);
  return (
    <div className={classes.actions} data-role={message.role}>
      <CopyButton value={message.content}>
        {({ copied, copy }) => (
          <Action label={copied ? 'Copied' : 'Copy'} icon={copied ? CheckIcon : ClipboardIcon} onClick={copy} />
        )}
      </CopyButton>
      {isEditor && canRegenerate && (
        <Action
          label="Regenerate"
          icon={ArrowPathIcon}
          disabled={isDisabled}
          onClick={() => onRegenerate(message.id)}
        />
      )}
      {isEditor && <Action label="Edit" icon={PencilIcon} disabled={isDisabled} onClick={onEdit} />}
      {message.revision > 1 && <Action label="History" icon={ClockIcon} onClick={history.open} />}
      {isEditor && (
        <Action
          label="Fork from here"
          icon={DocumentDuplicateIcon}
          disabled={fork.isPending}
          onClick={() => fork.mutate()}
        />
      )}
      {isEditor && <Action label="Save to archive" icon={ArchiveBoxArrowDownIcon} onClick={() => archive.mutate()} />}
      <MessageHistory
        message={message}
        opened={isHistoryOpen}
        onClose={history.close}
        isDisabled={isDisabled || !isEditor}
      />
    </div>
  );
}

interface ActionProps {
  label: string;
  icon: ComponentType<SVGProps<SVGSVGElement>>;
  onClick: () => void;
  disabled?: boolean;
}

function Action({ label, icon: Icon, onClick, disabled = false }: ActionProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" color="gray" size="md" aria-label={label} onClick={onClick} disabled={disabled}>
        <Icon />
      </ActionIcon>
    </Tooltip>
  );
}
