import { UserGroupIcon } from '@heroicons/react/24/outline';
import { Badge, Group } from '@mantine/core';
import { Dimmed } from '../../../components/text.tsx';
import { useAgents } from '../../../data/queries.ts';
import { t } from '../../../i18n/i18n.ts';
import { rich } from '../../../i18n/rich.tsx';
import { useScope } from '../../../scope/scope-context.tsx';
import { RecordCards } from '../record-cards.tsx';
import { AgentDialog } from './agent-dialog.tsx';

export default function AgentsPanel() {
  const { client } = useScope();
  return (
    <RecordCards
      query={useAgents()}
      hint={rich('settings.agentsHint', { header: <code>X-Agent-ID</code> })}
      createLabel={t('settings.newAgent')}
      empty={{
        title: t('settings.noAgentsYet'),
        icon: UserGroupIcon,
        hint: t('settings.noAgentsHint'),
        viewerHint: t('settings.noAgentsViewer'),
      }}
      renderCard={({ instructions, model, tools, knowledge_tags }) => (
        <>
          <Dimmed lineClamp={3} my="xs">
            <bdi>{instructions ?? t('settings.noInstructions')}</bdi>
          </Dimmed>
          <Group gap={6} mb="sm">
            {model !== null && (
              <Badge variant="light" tt="none">
                {model}
              </Badge>
            )}
            {tools.length > 0 && (
              <Badge variant="default" tt="none">
                {t('settings.toolCount', { count: tools.length })}
              </Badge>
            )}
            {knowledge_tags.map((tag) => (
              <Badge key={tag} variant="default" tt="none">
                {tag}
              </Badge>
            ))}
          </Group>
        </>
      )}
      renderDialog={({ record, ...dialog }) => <AgentDialog agent={record} {...dialog} />}
      deletion={{
        title: t('settings.deleteThisAgent'),
        hint: t('settings.deleteAgentHint'),
        run: (id) => client.agents.delete(id),
      }}
    />
  );
}
