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
        <Dimmed maw={560}>
          An agent gives conversations instructions, a model, knowledge, and tools. Programs select one with the header{' '}
          <code>X-Agent-ID</code>.
        </Dimmed>
        {isAtLeast('editor') && (
          <Button leftSection={<PlusIcon />} onClick={() => setEdited('new')}>
            New agent
          </Button>
        )}
      </Group>
      <QueryView query={agents}>
        {(all) =>
          all.length === 0 ? (
            <EmptyState title="No agents yet" icon={UserGroupIcon}>
              {isAtLeast('editor')
                ? 'Create one for each task that you explain again and again.'
                : 'Only editors of this workspace can create agents. You are a viewer.'}
            </EmptyState>
          ) : (
            <SimpleGrid cols={{ base: 1, md: 2, xl: 3 }}>
              {all.map((agent) => (
                <Card key={agent.id} withBorder component="article" aria-label={agent.name}>
                  <Text fw={600}>{agent.name}</Text>
                  <Dimmed lineClamp={3} my="xs">
                    {agent.instructions ?? 'No instructions'}
                  </Dimmed>
                  <Group gap={6} mb="sm">
                    {agent.model !== null && (
                      <Badge variant="light" tt="none">
                        {agent.model}
                      </Badge>
                    )}
                    {agent.tools.length > 0 && (
                      <Badge variant="default" tt="none">
                        {agent.tools.length === 1 ? '1 tool' : `${agent.tools.length} tools`}
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
                        Edit
                      </Button>
                      <Button size="compact-sm" variant="subtle" color="red" onClick={() => setDeleting(agent)}>
                        Delete
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
        title="Delete this agent?"
        confirmLabel="Delete"
        onConfirm={() => deleting && remove.mutate(deleting.id)}
      >
        Its conversations are kept.
      </ConfirmDialog>
    </>
  );
}
