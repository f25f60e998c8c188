import { ClockIcon, ViewColumnsIcon } from '@heroicons/react/24/outline';
import { ActionIcon, Tooltip } from '@mantine/core';
import { Link } from 'wouter';
import { useModels } from '../../../data/queries.ts';
import { t } from '../../../i18n/i18n.ts';

interface NewModesProps {
  isTemporary: boolean;
  onTemporary: (isTemporary: boolean) => void;
}

/** Other ways to start: a temporary conversation, and a comparison of models. */
export function NewModes({ isTemporary, onTemporary }: NewModesProps) {
  const canCompare = useModels('chat').length > 1;
  return (
    <>
      {canCompare && (
        <Tooltip label={t('modes.compare')}>
          <ActionIcon
            component={Link}
            href="/chat/compare"
            variant="subtle"
            color="gray"
            aria-label={t('modes.compare')}
          >
            <ViewColumnsIcon />
          </ActionIcon>
        </Tooltip>
      )}
      <Tooltip label={t('modes.temporary')}>
        <ActionIcon
          variant={isTemporary ? 'light' : 'subtle'}
          color={isTemporary ? undefined : 'gray'}
          aria-label={t('modes.temporary')}
          aria-pressed={isTemporary}
          onClick={() => onTemporary(!isTemporary)}
        >
          <ClockIcon />
        </ActionIcon>
      </Tooltip>
    </>
  );
}
