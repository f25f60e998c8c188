import { IdentificationIcon } from '@heroicons/react/24/outline';
import { ActionIcon, Tooltip } from '@mantine/core';
import { memo } from 'react';
import { t } from '../../../i18n/i18n.ts';
import { useCustomInstructions } from './use-custom-instructions.ts';

/** Switches the custom instructions of a conversation. Hidden if there are none. */
export const InstructionsToggle = memo(({ conversation }: { conversation: string }) => {
  const { exist, isOn, change } = useCustomInstructions(conversation);
  if (!exist) return null;
  return (
    <Tooltip label={isOn ? t('modes.instructionsOn') : t('modes.instructionsOff')}>
      <ActionIcon
        variant={isOn ? 'light' : 'subtle'}
        color={isOn ? undefined : 'gray'}
        aria-label={t('modes.instructions')}
        aria-pressed={isOn}
        onClick={() => change(!isOn)}
      >
        <IdentificationIcon />
      </ActionIcon>
    </Tooltip>
  );
});
