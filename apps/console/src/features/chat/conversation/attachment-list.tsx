import { DocumentTextIcon, MusicalNoteIcon } from '@heroicons/react/24/outline';
import { Group, Text } from '@mantine/core';
import { Link } from 'wouter';
import { AssetLink } from '../../../components/asset-link.tsx';
import { formatSize } from '../../../components/format.tsx';
import { useDocument } from '../../../components/use-document.ts';
import { jobErrorText } from '../../../data/describe-error.ts';
import { t } from '../../../i18n/i18n.ts';
import classes from './attachment-list.module.css';

/** Images and documents of a message. */
export function AttachmentList({ ids }: { ids: readonly string[] }) {
  if (ids.length === 0) return null;
  return (
    <Group gap="xs" justify="flex-end">
      {ids.map((id) =>
        id.startsWith('kno_') ? (
          <DocumentLink key={id} id={id} />
        ) : (
          <AssetLink key={id} id={id} height={120} missing={t('conversation.deletedFile')} />
        ),
      )}
    </Group>
  );
}

function DocumentLink({ id }: { id: string }) {
  const { data: entry, isError } = useDocument(id);
  if (isError) return <Text size="sm">{t('conversation.deletedFile')}</Text>;
  if (!entry) return null;
  const { source, status, size_bytes, page_count, error } = entry;
  const isSound = source.type === 'file' && /^(audio|video)\//.test(source.mime_type);
  const Icon = isSound ? MusicalNoteIcon : DocumentTextIcon;
  const facts = [
    ...(page_count === null ? [] : [t('components.pageCount', { count: page_count })]),
    ...(size_bytes === null ? [] : [formatSize(size_bytes)]),
  ];
  const note =
    status === 'processing'
      ? t('conversation.reading')
      : status === 'failed'
        ? error
          ? jobErrorText(error)
          : t('conversation.unreadable')
        : facts.join(' · ');
  return (
    <Link href={`/knowledge/${id}`} className={classes.document} data-status={status}>
      <Icon aria-hidden />
      <span className={classes.words}>
        <Text size="sm" fw={600} truncate>
          <bdi>{(source.type === 'file' ? source.filename : null) ?? entry.title}</bdi>
        </Text>
        <Text size="xs">{note}</Text>
      </span>
    </Link>
  );
}
