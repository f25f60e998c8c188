import { ArrowDownTrayIcon } from '@heroicons/react/24/outline';
import { Button, Group, Stack, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Dimmed } from '../../../components/text.tsx';
import { saveAsNdjson } from '../../../data/files.ts';
import { t } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';

export function ExportSection() {
  const { client } = useScope();
  const download = useMutation({
    mutationFn: () => saveAsNdjson(client.sessions.exportAll(), 'conversations.ndjson'),
  });
  return (
    <Stack gap="sm" component="section">
      <Title order={2} size="h4">
        {t('components.export')}
      </Title>
      <Dimmed>{t('settings.exportHint')}</Dimmed>
      <Group>
        <Button
          variant="default"
          leftSection={<ArrowDownTrayIcon />}
          loading={download.isPending}
          onClick={() => download.mutate()}
        >
          {t('settings.exportConversations')}
        </Button>
      </Group>
    </Stack>
  );
}
