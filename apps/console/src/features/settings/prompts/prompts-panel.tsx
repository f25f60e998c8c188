import type { Prompt } from '@chorus/client';
import { ChatBubbleBottomCenterTextIcon, PlusIcon } from '@heroicons/react/24/outline';
import { Button, Card, Group, SimpleGrid, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { EmptyState, QueryView } from '../../../components/placeholders.tsx';
import { CreatorNote } from '../../../components/role-gate.tsx';
import { Dimmed } from '../../../components/text.tsx';
import { usePrompts } from '../../../data/queries.ts';
import { t } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { useRole } from '../../../scope/use-role.ts';
import { PromptDialog } from './prompt-dialog.tsx';

export default function PromptsPanel() {
  const { client } = useScope();
  const { isAtLeast, canChange } = useRole();
  const [edited, setEdited] = useState<Prompt | 'new' | null>(null);
  const [deleting, setDeleting] = useState<Prompt | null>(null);
  const prompts = usePrompts();
  const remove = useMutation({
    mutationFn: (id: string) => client.prompts.delete(id),
    onSettled: () => prompts.refetch(),
  });
  return (
    <>
      <Group justify="space-between" mb="md">
        <Dimmed maw={560}>{t('settings.promptsHint')}</Dimmed>
        {isAtLeast('editor') && (
          <Button leftSection={<PlusIcon />} onClick={() => setEdited('new')}>
            {t('settings.newPrompt')}
          </Button>
        )}
      </Group>
      <QueryView query={prompts}>
        {(all) =>
          all.length === 0 ? (
            <EmptyState title={t('settings.noPromptsYet')} icon={ChatBubbleBottomCenterTextIcon}>
              {isAtLeast('editor') ? t('settings.noPromptsHint') : t('settings.noPromptsViewer')}
            </EmptyState>
          ) : (
            <SimpleGrid cols={{ base: 1, md: 2, xl: 3 }}>
              {all.map((prompt) => (
                <Card key={prompt.id} withBorder component="article" aria-label={prompt.name}>
                  <Text fw={600}>{prompt.name}</Text>
                  <Dimmed lineClamp={4} my="xs">
                    <bdi>{prompt.content}</bdi>
                  </Dimmed>
                  {canChange(prompt.user_id) ? (
                    <Group gap="xs" mt="auto">
                      <Button size="compact-sm" variant="default" onClick={() => setEdited(prompt)}>
                        {t('common.edit')}
                      </Button>
                      <Button size="compact-sm" variant="subtle" color="red" onClick={() => setDeleting(prompt)}>
                        {t('common.delete')}
                      </Button>
                    </Group>
                  ) : (
                    <CreatorNote action={t('components.actionEditOrDelete')} />
                  )}
                </Card>
              ))}
            </SimpleGrid>
          )
        }
      </QueryView>
      <PromptDialog prompt={edited} onClose={() => setEdited(null)} onSaved={prompts.refetch} />
      <ConfirmDialog
        opened={deleting !== null}
        onClose={() => setDeleting(null)}
        title={t('settings.deleteThisPrompt')}
        confirmLabel={t('common.delete')}
        onConfirm={() => deleting && remove.mutate(deleting.id)}
      >
        {t('settings.deletePromptHint')}
      </ConfirmDialog>
    </>
  );
}
