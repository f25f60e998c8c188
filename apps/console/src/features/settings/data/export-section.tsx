import { ArrowDownTrayIcon } from '@heroicons/react/24/outline';
import { Button, Group, Stack, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Dimmed } from '../../../components/text.tsx';
import { saveAsNdjson } from '../../../data/files.ts';
import { useScope } from '../../../scope/scope-context.tsx';

export function ExportSection() {
  const { client } = useScope();
  const download = useMutation({
    mutationFn: () => saveAsNdjson(client.sessions.exportAll(), 'conversations.ndjson'),
  });
  return (
    <Stack gap="sm" component="section">
      <Title order={2} size="h4">
        Export
      </Title>
      <Dimmed>
        All your conversations here in one file, with a conversation on each line. Files that you attached are not
        included. To export a single conversation, use its menu.
      </Dimmed>
      <Group>
        <Button
          variant="default"
          leftSection={<ArrowDownTrayIcon />}
          loading={download.isPending}
          onClick={() => download.mutate()}
        >
          Export conversations
        </Button>
      </Group>
    </Stack>
  );
}
