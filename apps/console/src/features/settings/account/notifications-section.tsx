import { Stack, Switch, Text } from '@mantine/core';
import { useState } from 'react';
import { Dimmed, SectionTitle } from '../../../components/text.tsx';
import { useNotificationSetting } from '../../../notifications/use-notification-setting.ts';

export function NotificationsSection() {
  const { isOn, isSupported, change } = useNotificationSetting();
  const [isRefused, setIsRefused] = useState(false);
  return (
    <Stack component="section" aria-label="Notifications" gap="sm">
      <div>
        <SectionTitle>Notifications</SectionTitle>
        <Dimmed maw={560}>
          In this browser, while Chorus is in the background: when an answer that took more than 20 seconds ends, or one
          waits for your approval. Without notifications, the title of the tab counts them.
        </Dimmed>
      </div>
      <Switch
        label="Notify me about answers"
        checked={isOn}
        disabled={!isSupported}
        onChange={async (event) => setIsRefused(!(await change(event.currentTarget.checked)))}
      />
      {!isSupported && <Text size="sm">This browser has no notifications.</Text>}
      {isRefused && (
        <Text size="sm" role="alert">
          The browser blocks notifications of this page. Allow them in its site settings, then try again.
        </Text>
      )}
    </Stack>
  );
}
