import { PlusIcon } from '@heroicons/react/24/outline';
import { Badge, Button, Card, Group, SimpleGrid, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { Dimmed, SectionTitle } from '../../../components/text.tsx';
import { t } from '../../../i18n/i18n.ts';
import { useRole } from '../../../scope/use-role.ts';

interface SourceSectionProps {
  title: string;
  description: ReactNode;
  addLabel: string;
  onAdd: () => void;
  children: ReactNode;
}

/** A section of registered servers or APIs. */
export function SourceSection({ title, description, addLabel, onAdd, children }: SourceSectionProps) {
  const { isAtLeast } = useRole();
  return (
    <section aria-label={title}>
      <Group justify="space-between" align="flex-end" mb="md">
        <div>
          <SectionTitle mb={4}>{title}</SectionTitle>
          <Dimmed maw={720}>{description}</Dimmed>
        </div>
        {isAtLeast('admin') && (
          <Button leftSection={<PlusIcon />} onClick={onAdd}>
            {addLabel}
          </Button>
        )}
      </Group>
      {children}
    </section>
  );
}

export function SourceGrid({ children }: { children: ReactNode }) {
  return <SimpleGrid cols={{ base: 1, md: 2, xl: 3 }}>{children}</SimpleGrid>;
}

interface SourceCardProps {
  source: { id: string; name: string; enabled: boolean };
  address: string;
  facts: string;
  /** The button that shows its tools. */
  tools: ReactNode;
  onEdit: () => void;
  onDelete: () => Promise<unknown>;
  queryKey: readonly unknown[];
}

/** A registered server or API. */
export function SourceCard({ source, address, facts, tools, onEdit, onDelete, queryKey }: SourceCardProps) {
  const { isAtLeast } = useRole();
  const queryClient = useQueryClient();
  const [isConfirming, setIsConfirming] = useState(false);
  const remove = useMutation({
    mutationFn: onDelete,
    onSettled: () => queryClient.invalidateQueries({ queryKey }),
  });
  return (
    <Card withBorder component="article" aria-label={source.name}>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text fw={600} style={{ overflowWrap: 'anywhere', minWidth: 0 }}>
          {source.name}
        </Text>
        {!source.enabled && (
          <Badge variant="default" tt="none" flex="none">
            {t('settings.off')}
          </Badge>
        )}
      </Group>
      <Dimmed truncate>{address}</Dimmed>
      <Dimmed size="xs" mt={4} mb="sm">
        {facts}
      </Dimmed>
      <Group gap="xs" mt="auto">
        {tools}
        {isAtLeast('admin') && (
          <>
            <Button size="compact-sm" variant="default" onClick={onEdit}>
              {t('common.edit')}
            </Button>
            <Button
              size="compact-sm"
              variant="subtle"
              color="red"
              onClick={() => setIsConfirming(true)}
              loading={remove.isPending}
            >
              {t('common.delete')}
            </Button>
          </>
        )}
      </Group>
      <ConfirmDialog
        opened={isConfirming}
        onClose={() => setIsConfirming(false)}
        title={t('settings.deleteSource', { name: source.name })}
        confirmLabel={t('common.delete')}
        onConfirm={() => remove.mutate()}
      >
        {t('settings.deleteSourceHint')}
      </ConfirmDialog>
    </Card>
  );
}
