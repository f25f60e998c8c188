import type { ImportedSession, ImportSummary } from '@chorus/client';
import { ArrowUpTrayIcon } from '@heroicons/react/24/outline';
import { Alert, Button, FileButton, Group, List, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { ErrorAlert } from '../../../components/placeholders.tsx';
import { Dimmed } from '../../../components/text.tsx';
import { refresh } from '../../../data/refresh.ts';
import { formatNumber, t } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';

/** Number of problems that are listed one by one. */
const MOST_SHOWN = 20;

export function ImportSection() {
  const { client, scopeKey } = useScope();
  const queryClient = useQueryClient();
  const [progress, setProgress] = useState<[done: number, total: number] | null>(null);
  const resetFile = useRef<() => void>(null);
  const load = useMutation({
    mutationFn: (file: File) =>
      client.sessions.import(file, { onProgress: (done, total) => setProgress([done, total]) }),
    onError: () => undefined, // shown below
    onSettled: () => {
      setProgress(null);
      resetFile.current?.(); // the same file can be chosen again
      return refresh(queryClient, [scopeKey, 'sessions'], { whole: true });
    },
  });
  return (
    <Stack gap="sm" component="section">
      <Title order={2} size="h4">
        {t('settings.import')}
      </Title>
      <Dimmed>{t('settings.importHint')}</Dimmed>
      <Group>
        <FileButton
          accept="application/json,application/x-ndjson,.json,.ndjson,.jsonl"
          resetRef={resetFile}
          onChange={(file) => file && load.mutate(file)}
        >
          {(props) => (
            <Button {...props} variant="default" leftSection={<ArrowUpTrayIcon />} loading={load.isPending}>
              {t('settings.importConversations')}
            </Button>
          )}
        </FileButton>
        {progress && (
          <Dimmed>
            {t('components.countOfTotal', { count: formatNumber(progress[0]), total: formatNumber(progress[1]) })}
          </Dimmed>
        )}
      </Group>
      <div aria-live="polite">
        {load.error && <ErrorAlert error={load.error} />}
        {load.data && <Summary summary={load.data} />}
      </div>
    </Stack>
  );
}

function Summary({ summary: { imported, skipped, failed, data } }: { summary: ImportSummary }) {
  const failures = data.filter(({ status }) => status === 'failed');
  const missing = data.reduce((sum, one) => sum + one.missing_files, 0);
  return (
    <Alert color={failed > 0 ? 'yellow' : 'teal'} title={t('settings.importedCount', { count: imported })}>
      {skipped > 0 && <Text size="sm">{t('settings.skippedCount', { count: skipped })}</Text>}
      {missing > 0 && <Text size="sm">{t('settings.missingFiles', { count: missing })}</Text>}
      {failed > 0 && (
        <>
          <Text size="sm">{t('settings.failedCount', { count: failed })}</Text>
          <List size="sm" mt="xs">
            {failures.slice(0, MOST_SHOWN).map((one) => (
              <List.Item key={one.index}>{problemOf(one)}</List.Item>
            ))}
          </List>
          {failed > MOST_SHOWN && <Text size="sm">{t('settings.moreFailed', { count: failed - MOST_SHOWN })}</Text>}
        </>
      )}
    </Alert>
  );
}

function problemOf({ index, title, error }: ImportedSession): string {
  const subject =
    title === null ? t('settings.conversationNumber', { number: index + 1 }) : t('settings.quoted', { title });
  const problem = [error?.path, error?.message].filter((part) => part !== undefined && part !== '').join(' ');
  return `${subject}: ${problem}`;
}
