import { EyeSlashIcon } from '@heroicons/react/24/outline';
import { Alert, Button, Group, Text } from '@mantine/core';
import { t } from '../../../i18n/i18n.ts';
import type { useBlindness } from './image-support.ts';
import { useChatSettings } from './use-chat-settings.ts';

/** Warns before sending that the model cannot see the attached images, and offers models that can. */
export function ImageNotice({ blindness }: { blindness: ReturnType<typeof useBlindness> }) {
  const { setModel } = useChatSettings();
  if (blindness === null) return null;
  const { model, others } = blindness;
  return (
    <Alert color="yellow" icon={<EyeSlashIcon />} p="xs" role="alert">
      <Text size="sm">
        {t('modes.cannotSee', { model })} {others.length === 0 && t('modes.noModelSees')}
      </Text>
      {others.length > 0 && (
        <Group gap="xs" mt={6}>
          {others.map((other) => (
            <Button key={other} size="compact-xs" variant="default" onClick={() => setModel(other)}>
              {t('modes.switchTo', { model: other })}
            </Button>
          ))}
        </Group>
      )}
    </Alert>
  );
}
