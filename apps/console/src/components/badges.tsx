import { Badge } from '@mantine/core';
import { t } from '../i18n/i18n.ts';
import { statusLabel } from './statuses.ts';

const COLORS: Readonly<Record<string, string>> = {
  succeeded: 'teal',
  ready: 'teal',
  completed: 'teal',
  active: 'teal',
  failed: 'red',
  revoked: 'red',
  running: 'indigo',
  processing: 'indigo',
  requires_action: 'orange',
};

export function StatusBadge({ status }: { status: string }) {
  return (
    <Badge variant="dot" color={COLORS[status] ?? 'gray'} tt="none" flex="none" miw="max-content">
      {statusLabel(status)}
    </Badge>
  );
}

const MAX_TAGS = 6;

export function TagBadges({ tags }: { tags: readonly string[] }) {
  const hidden = tags.length - MAX_TAGS;
  return (
    <>
      {tags.slice(0, MAX_TAGS).map((tag) => (
        <Badge key={tag} size="xs" variant="default" tt="none">
          {tag}
        </Badge>
      ))}
      {hidden > 0 && (
        <Badge size="xs" variant="transparent" color="gray" tt="none">
          {t('components.andMore', { count: hidden })}
        </Badge>
      )}
    </>
  );
}
