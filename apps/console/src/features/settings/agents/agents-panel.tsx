import type { Agent } from '@chorus/client';
import { PlusIcon, UserGroupIcon } from '@heroicons/react/24/outline';
import { Badge, Button, Card, Group, SimpleGrid, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { EmptyState, QueryView } from '../../../components/placeholders.tsx';
import { CreatorNote } from '../../../components/role-gate.tsx';
import { Dimmed } from '../../../components/text.tsx';
import { useAgents } from '../../../data/queries.ts';
import { t } from '../../../i18n/i18n.ts';
import { rich } from '../../../i18n/rich.tsx';
import { useScope } from '../../../scope/scope-context.tsx';
import { useRole } from '../../../scope/use-role.ts';
import { AgentDialog } from './agent-dialog.tsx';

export default function AgentsPanel() {
  const { client } = useScope();
  const { isAtLeast, canChange } = useRole();
  const [edited, setEdited] = useState<Agent | 'new' | null>(null);
  const [deleting, setDeleting] = useState<Agent | null>(null);
  const agents = useAgents();
  const remove = useMutation({
    mutationFn: (id: string) => client.agents.delete(id),
    onSettled: () => agents.refetch(),
  });
  return (
    <>
      <Group justify="space-between" mb="md">
        <Dimmed maw={560}>{rich('settings.agentsHint', { header: <code>X-Agent-ID</code> })}</Dimmed>
        {isAtLeast('editor') && (
          <Button leftSection={<PlusIcon />} onClick={() => setEdited('new')}>
            {t('settings.newAgent')}
          </Button>
        )}
      </Group>
      <QueryView query={agents}>
        {(all) =>
          all.length === 0 ? (
            <EmptyState title={t('settings.noAgentsYet')} icon={UserGroupIcon}>
              {isAtLeast('editor') ? t('settings.noAgentsHint') : t('settings.noAgentsViewer')}
            </EmptyState>
          ) : (
            <SimpleGrid cols={{ base: 1, md: 2, xl: 3 }}>
              {all.map((agent) => (
                <Card key={agent.id} withBorder component="article" aria-label={agent.name}>
                  <Text fw={600}>{agent.name}</Text>
                  <Dimmed lineClamp={3} my="xs">
                    <bdi>{agent.instructions ?? t('settings.noInstructions')}</bdi>
                  </Dimmed>
                  <Group gap={6} mb="sm">
                    {agent.model !== null && (
                      <Badge variant="light" tt="none">
                        {agent.model}
                      </Badge>
                    )}
                    {agent.tools.length > 0 && (
                      <Badge variant="default" tt="none">
                        {t('settings.toolCount', { count: agent.tools.length })}
                      </Badge>
                    )}
                    {agent.knowledge_tags.map((tag) => (
                      <Badge key={tag} variant="default" tt="none">
                        {tag}
                      </Badge>
                    ))}
                  </Group>
                  {canChange(agent.user_id) ? (
                    <Group gap="xs" mt="auto">
                      <Button size="compact-sm" variant="default" onClick={() => setEdited(agent)}>
                        {t('common.edit')}
                      </Button>
                      <Button size="compact-sm" variant="subtle" color="red" onClick={() => setDeleting(agent)}>
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
      <AgentDialog agent={edited} onClose={() => setEdited(null)} onSaved={agents.refetch} />
      <ConfirmDialog
        opened={deleting !== null}
        onClose={() => setDeleting(null)}
        title={t('settings.deleteThisAgent')}
        confirmLabel={t('common.delete')}
        onConfirm={() => deleting && remove.mutate(deleting.id)}
      >
        {t('settings.deleteAgentHint')}
      </ConfirmDialog>
    </>
  );
}
