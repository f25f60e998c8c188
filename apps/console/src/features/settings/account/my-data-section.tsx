import { ArrowDownTrayIcon } from '@heroicons/react/24/outline';
import { Button, Checkbox, Group, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useAccount } from '../../../account/account-gate.tsx';
import { confirmationTicket } from '../../../account/single-sign-on.tsx';
import { formatSize } from '../../../components/format.tsx';
import { Dimmed, SectionTitle } from '../../../components/text.tsx';
import { save } from '../../../data/files.ts';
import { t } from '../../../i18n/i18n.ts';
import { DeleteAccountDialog } from './delete-account-dialog.tsx';

export function MyDataSection() {
  const { client } = useAccount();
  const [withFiles, setWithFiles] = useState(true);
  const [received, setReceived] = useState<number | null>(null);
  const [isDeleting, deleting] = useDisclosure(confirmationTicket() !== null);
  const download = useMutation({
    mutationFn: async () => {
      const response = await client.me.export({ files: withFiles ? 'true' : 'false' });
      const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1];
      const content = await new Response(response.body?.pipeThrough(counter(setReceived))).blob();
      save(content, name ?? 'chorus.zip');
    },
    onSettled: () => setReceived(null),
  });
  return (
    <Stack component="section" aria-label={t('personal.yourData')} gap="sm" maw={640}>
      <div>
        <SectionTitle>{t('personal.yourData')}</SectionTitle>
        <Dimmed>{t('personal.downloadHint')}</Dimmed>
      </div>
      <Checkbox
        label={t('personal.withFiles')}
        checked={withFiles}
        onChange={(event) => setWithFiles(event.currentTarget.checked)}
      />
      <Group>
        <Button
          variant="default"
          leftSection={<ArrowDownTrayIcon />}
          loading={download.isPending}
          onClick={() => download.mutate()}
        >
          {t('personal.download')}
        </Button>
        {received !== null && <Dimmed>{t('personal.preparing', { size: formatSize(received) })}</Dimmed>}
      </Group>
      <Dimmed mt="md">{t('personal.deleteAccountHint')}</Dimmed>
      <Group>
        <Button variant="subtle" color="red" onClick={deleting.open}>
          {t('personal.deleteAccount')}
        </Button>
      </Group>
      {isDeleting && <DeleteAccountDialog onClose={deleting.close} />}
    </Stack>
  );
}

/** Passes bytes through, and reports their number. */
function counter(report: (bytes: number) => void): TransformStream<Uint8Array, Uint8Array> {
  let count = 0;
  return new TransformStream({
    transform(piece, controller) {
      count += piece.length;
      report(count);
      controller.enqueue(piece);
    },
  });
}
