import { DocumentCheckIcon, ExclamationTriangleIcon, PhotoIcon } from '@heroicons/react/24/outline';
import { CloseButton, Loader, RingProgress, Text } from '@mantine/core';
import { useEffect } from 'react';
import { useDocument } from '../../../../components/use-document.ts';
import { useLiveProgress } from '../../../../data/live-events.tsx';
import { t } from '../../../../i18n/i18n.ts';
import classes from './attachment-chips.module.css';
import type { Attachment } from './use-attachments.ts';

interface ChipEvents {
  onRemove: (attachment: Attachment) => void;
  /** Called with null once a failed document is being read again. */
  onFail: (key: string, problem: string | null) => void;
}

interface AttachmentChipsProps extends ChipEvents {
  attachments: readonly Attachment[];
}

/** Loaded with the first attachment. */
export default function AttachmentChips({ attachments, ...events }: AttachmentChipsProps) {
  return (
    <ul className={classes.chips} aria-label={t('conversation.attachments')}>
      {attachments.map((attachment) =>
        attachment.id?.startsWith('kno_') ? (
          <DocumentChip key={attachment.key} attachment={attachment} documentId={attachment.id} {...events} />
        ) : (
          <Chip key={attachment.key} attachment={attachment} state={stateOfImage(attachment)} {...events} />
        ),
      )}
    </ul>
  );
}

type ChipState = 'uploading' | 'reading' | 'ready' | 'failed';

function stateOfImage({ id, problem }: Attachment): ChipState {
  if (problem !== null) return 'failed';
  return id === null ? 'uploading' : 'ready';
}

/** A document, with the server's progress in reading it. */
function DocumentChip({ attachment, documentId, onFail, ...events }: ChipEvents & ChipProps & { documentId: string }) {
  const { data: entry, error } = useDocument(documentId);
  const progress = useLiveProgress(entry?.execution_id ?? null);
  const problem = entry?.status === 'failed' ? (entry.error?.message ?? t('conversation.couldNotRead')) : null;
  const { key } = attachment;
  useEffect(() => onFail(key, problem), [key, problem, onFail]);
  const state = problem !== null || error ? 'failed' : entry?.status === 'ready' ? 'ready' : 'reading';
  const note =
    progress && progress.total > 1
      ? t('conversation.readingPart', { count: progress.completed, total: progress.total })
      : t('conversation.reading');
  return <Chip attachment={attachment} state={state} note={note} onFail={onFail} {...events} />;
}

interface ChipProps {
  attachment: Attachment;
}

function Chip({ attachment, state, note, onRemove }: ChipEvents & ChipProps & { state: ChipState; note?: string }) {
  const { name, progress, problem, id } = attachment;
  const percent = `${Math.round(progress * 100)}%`;
  const status = {
    uploading: t('conversation.uploading', { percent }),
    reading: note,
    ready: undefined,
    failed: problem,
  }[state];
  return (
    <li className={classes.chip} data-state={state}>
      {state === 'uploading' && (
        <RingProgress size={20} thickness={3} sections={[{ value: progress * 100, color: 'indigo' }]} aria-hidden />
      )}
      {state === 'reading' && <Loader size={16} aria-hidden />}
      {state === 'failed' && <ExclamationTriangleIcon aria-hidden />}
      {state === 'ready' && (id?.startsWith('kno_') ? <DocumentCheckIcon aria-hidden /> : <PhotoIcon aria-hidden />)}
      <div className={classes.words}>
        <Text size="xs" truncate>
          {name}
        </Text>
        <Text size="xs" c={state === 'failed' ? undefined : 'dimmed'} className={classes.status} role="status">
          {status}
        </Text>
      </div>
      <CloseButton size="xs" onClick={() => onRemove(attachment)} aria-label={t('common.removeName', { name })} />
    </li>
  );
}
