import { Stack, Switch, Text } from '@mantine/core';
import { useState } from 'react';
import { Dimmed, SectionTitle } from '../../../components/text.tsx';
import { t } from '../../../i18n/i18n.ts';
import { useNotificationSetting } from '../../../notifications/use-notification-setting.ts';

export function NotificationsSection() {
  const { isOn, isSupported, change } = useNotificationSetting();
  const [isRefused, setIsRefused] = useState(false);
  return (
    <Stack component="section" aria-label={t('settings.notifications')} gap="sm">
      <div>
        <SectionTitle>{t('settings.notifications')}</SectionTitle>
        <Dimmed maw={560}>{t('settings.notificationsHint')}</Dimmed>
      </div>
      <Switch
        label={t('settings.notifyMe')}
        checked={isOn}
        disabled={!isSupported}
        onChange={async (event) => setIsRefused(!(await change(event.currentTarget.checked)))}
      />
      {!isSupported && <Text size="sm">{t('settings.notificationsUnsupported')}</Text>}
      {isRefused && (
        <Text size="sm" role="alert">
          {t('settings.notificationsBlocked')}
        </Text>
      )}
    </Stack>
  );
}
