import type { Message } from '@chorus/client';
import {
  ArchiveBoxArrowDownIcon,
  ArrowPathIcon,
  CheckIcon,
  ClipboardIcon,
  ClockIcon,
  DocumentDuplicateIcon,
  HandThumbDownIcon,
  HandThumbUpIcon,
  InformationCircleIcon,
  LinkIcon,
  PencilIcon,
  SpeakerWaveIcon,
  StopIcon,
} from '@heroicons/react/24/outline';
import { HandThumbDownIcon as DownIcon, HandThumbUpIcon as UpIcon } from '@heroicons/react/24/solid';
import { useClipboard } from '@mantine/hooks';
import type { ComponentType, SVGProps } from 'react';
import { useArchive, useModels } from '../../../data/queries.ts';
import { t } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { useRole } from '../../../scope/use-role.ts';
import { readAloud, stopReading, useReading } from '../read-aloud/read-aloud.ts';
import { useFork } from './use-fork.ts';
import { useRating } from './use-rating.ts';

export interface MessageAction {
  key: string;
  label: string;
  icon: ComponentType<SVGProps<SVGSVGElement>>;
  /** Where it appears: always as a button, in the menu only on phones, or always in the menu. */
  place: 'button' | 'desktop' | 'menu';
  onClick: () => void;
  isDisabled?: boolean;
  isPressed?: boolean;
  isBusy?: boolean;
}

export interface ActionOptions {
  message: Message;
  canRegenerate: boolean;
  /** Whether an answer is being written. */
  isDisabled: boolean;
  onEdit: () => void;
  onRegenerate: (messageId: string) => void;
  onHistory: () => void;
  onDetails: () => void;
  onShare: () => void;
}

/** Returns what the user can do with a message, most important first. */
export function useActions(options: ActionOptions): { actions: MessageAction[]; isEditor: boolean } {
  const { message, canRegenerate, isDisabled, onEdit, onRegenerate, onHistory, onDetails, onShare } = options;
  const isEditor = useRole().isAtLeast('editor');
  const isAnswer = message.role === 'assistant';
  const { copied, copy } = useClipboard();
  const archive = useArchive('message', message.id);
  const fork = useFork(message);
  const reading = useReadingAction(message);
  const rating = useRatingActions(message);
  const actions: (MessageAction | false)[] = [
    {
      key: 'copy',
      label: copied ? t('common.copied') : t('common.copy'),
      icon: copied ? CheckIcon : ClipboardIcon,
      place: 'button',
      onClick: () => copy(message.content),
    },
    isAnswer && isEditor && reading,
    ...(isAnswer && isEditor ? rating : []),
    isEditor &&
      canRegenerate && {
        key: 'regenerate',
        label: t('conversation.regenerate'),
        icon: ArrowPathIcon,
        place: 'button',
        isDisabled,
        onClick: () => onRegenerate(message.id),
      },
    isEditor && {
      key: 'edit',
      label: t('common.edit'),
      icon: PencilIcon,
      place: isAnswer ? 'menu' : 'button',
      isDisabled,
      onClick: onEdit,
    },
    message.revision > 1 && {
      key: 'history',
      label: t('conversation.history'),
      icon: ClockIcon,
      place: isAnswer ? 'menu' : 'desktop',
      onClick: onHistory,
    },
    isAnswer && {
      key: 'details',
      label: t('conversation.whyThisAnswer'),
      icon: InformationCircleIcon,
      place: 'menu',
      onClick: onDetails,
    },
    isEditor && {
      key: 'fork',
      label: t('conversation.forkFromHere'),
      icon: DocumentDuplicateIcon,
      place: 'menu',
      isDisabled: fork.isPending,
      onClick: () => fork.mutate(),
    },
    isEditor && {
      key: 'share',
      label: t('modes.shareUpTo'),
      icon: LinkIcon,
      place: 'menu',
      isDisabled,
      onClick: onShare,
    },
    isEditor && {
      key: 'archive',
      label: t('common.saveToArchive'),
      icon: ArchiveBoxArrowDownIcon,
      place: 'menu',
      onClick: () => archive.mutate(),
    },
  ];
  return { actions: actions.filter((action) => action !== false), isEditor };
}

function useReadingAction({ id, content }: Message): MessageAction | false {
  const { client } = useScope();
  const hasSpeech = useModels('speech').length > 0;
  const state = useReading(id);
  if (!hasSpeech) return false;
  if (state === undefined)
    return {
      key: 'read',
      label: t('conversation.readAloud'),
      icon: SpeakerWaveIcon,
      place: 'desktop',
      onClick: () => readAloud(client, id, content),
    };
  const isBusy = state === 'preparing';
  // A button even on phones, so that one tap stops it.
  return {
    key: 'read-stop',
    label: t('conversation.stopReading'),
    icon: StopIcon,
    place: 'button',
    isBusy,
    onClick: stopReading,
  };
}

function useRatingActions(message: Message): MessageAction[] {
  const { rating, rate } = useRating(message);
  return (['up', 'down'] as const).map((value) => {
    const isPressed = rating === value;
    const [outline, solid] = value === 'up' ? [HandThumbUpIcon, UpIcon] : [HandThumbDownIcon, DownIcon];
    return {
      key: value,
      label: value === 'up' ? t('conversation.goodAnswer') : t('conversation.badAnswer'),
      icon: isPressed ? solid : outline,
      place: 'desktop',
      isPressed,
      onClick: () => rate(isPressed ? null : value),
    };
  });
}
