import type { McpServerTools } from '@chorus/client';
import { Badge, Group, Text } from '@mantine/core';
import { Dimmed } from '../../../components/text.tsx';
import { t } from '../../../i18n/i18n.ts';
import type { MessageKey } from '../../../i18n/messages.ts';
import classes from './tools.module.css';

type Effect = McpServerTools['data'][number]['effect'];

const EFFECTS: Readonly<Record<Effect, { label: MessageKey; color: string }>> = {
  read: { label: 'settings.reads', color: 'teal' },
  idempotent: { label: 'settings.changesRepeatable', color: 'indigo' },
  write: { label: 'settings.changes', color: 'orange' },
};

interface ToolListProps {
  tools: readonly { name: string; note?: string; description: string; effect: Effect; allowed?: boolean }[];
}

/** Lists tools with their effects. Descriptions come from third parties and are shown as they are. */
export function ToolList({ tools }: ToolListProps) {
  if (tools.length === 0) return <Dimmed>{t('settings.thereAreNoTools')}</Dimmed>;
  return (
    <ul className={classes.tools} aria-label={t('settings.tools')}>
      {tools.map(({ name, note, description, effect, allowed = true }) => (
        <li key={name} className={classes.tool}>
          <Group gap="xs" justify="space-between" wrap="nowrap">
            <Text fw={600} size="sm" className={classes.name} td={allowed ? undefined : 'line-through'}>
              {name}
            </Text>
            <Group gap={6} wrap="nowrap" flex="none">
              {!allowed && (
                <Badge variant="default" tt="none">
                  {t('settings.notAllowed')}
                </Badge>
              )}
              <Badge variant="dot" color={EFFECTS[effect].color} tt="none">
                {t(EFFECTS[effect].label)}
              </Badge>
            </Group>
          </Group>
          {note !== undefined && (
            <Dimmed size="xs" className={classes.name}>
              {note}
            </Dimmed>
          )}
          {description !== '' && (
            <Dimmed size="xs" lineClamp={3}>
              {description}
            </Dimmed>
          )}
        </li>
      ))}
    </ul>
  );
}
