import type { Agent } from '@chorus/client';
import { PlusIcon, UserGroupIcon } from '@heroicons/react/24/outline';
import { Badge, Button, Card, Group, SimpleGrid, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { QueryView } from '../../../components/query-view.tsx';
import { notifyError } from '../../../data/notify.ts';
import { useAgents } from '../../../data/use-agents.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { useRole } from '../../../scope/use-role.ts';
import { AgentDialog } from './agent-dialog.tsx';

/** Instructions, a model and settings under a name. */
export default function AgentsPanel() {
  const { client } = useScope();
  const { isAtLeast, mayChange } = useRole();
  const [edited, setEdited] = useState<Agent | 'new' | null>(null);
  const [asked, setAsked] = useState<Agent | null>(null);
  const agents = useAgents();
  const remove = useMutation({
    mutationFn: (id: string) => client.agents.delete(id),
    onError: notifyError,
    onSettled: () => agents.refetch(),
  });
  return (
    <>
      <Group justify="space-between" mb="md">
        <Text c="dimmed" size="sm" maw={560}>
          An agent gives conversations its instructions, model and knowledge. Programs name it in the header{' '}
          <code>X-Agent-ID</code>.
        </Text>
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
                ? 'Make one for each task that you explain again and again.'
                : 'Editors of this workspace make them; you are viewer here.'}
            </EmptyState>
          ) : (
            <SimpleGrid cols={{ base: 1, md: 2, xl: 3 }}>
              {all.map((agent) => (
                <Card key={agent.id} withBorder component="article" aria-label={agent.name}>
                  <Text fw={600}>{agent.name}</Text>
                  <Text size="sm" c="dimmed" lineClamp={3} my="xs">
                    {agent.instructions ?? 'No instructions'}
                  </Text>
                  <Group gap={6} mb="sm">
                    {agent.model !== null && (
                      <Badge variant="light" tt="none">
                        {agent.model}
                      </Badge>
                    )}
                    {agent.knowledge_tags.map((tag) => (
                      <Badge key={tag} variant="default" tt="none">
                        {tag}
                      </Badge>
                    ))}
                  </Group>
                  {mayChange(agent.user_id) ? (
                    <Group gap="xs" mt="auto">
                      <Button size="compact-sm" variant="default" onClick={() => setEdited(agent)}>
                        Edit
                      </Button>
                      <Button size="compact-sm" variant="subtle" color="red" onClick={() => setAsked(agent)}>
                        Delete
                      </Button>
                    </Group>
                  ) : (
                    <Text size="xs" c="dimmed" mt="auto">
                      Its maker and admins may change it.
                    </Text>
                  )}
                </Card>
              ))}
            </SimpleGrid>
          )
        }
      </QueryView>
      <AgentDialog agent={edited} onClose={() => setEdited(null)} onSaved={agents.refetch} />
      <ConfirmDialog
        opened={asked !== null}
        onClose={() => setAsked(null)}
        title="Delete this agent?"
        confirm="Delete"
        onConfirm={() => asked && remove.mutate(asked.id)}
      >
        Conversations that it has led stay as they are.
      </ConfirmDialog>
    </>
  );
}
