import type { McpServerTools } from '@chorus/client';
import { Badge, Group, Text } from '@mantine/core';
import { Dimmed } from '../../../components/text.tsx';
import classes from './tools.module.css';

type Effect = McpServerTools['data'][number]['effect'];

const EFFECTS: Readonly<Record<Effect, { label: string; color: string }>> = {
  read: { label: 'Reads', color: 'teal' },
  idempotent: { label: 'Changes, repeatable', color: 'indigo' },
  write: { label: 'Changes', color: 'orange' },
};

interface ToolListProps {
  tools: readonly { name: string; note?: string; description: string; effect: Effect; allowed?: boolean }[];
}

/** Lists tools with their effects. Descriptions come from third parties and are shown as they are. */
export function ToolList({ tools }: ToolListProps) {
  if (tools.length === 0) return <Dimmed>There are no tools.</Dimmed>;
  return (
    <ul className={classes.tools} aria-label="Tools">
      {tools.map(({ name, note, description, effect, allowed = true }) => (
        <li key={name} className={classes.tool}>
          <Group gap="xs" justify="space-between" wrap="nowrap">
            <Text fw={600} size="sm" className={classes.name} td={allowed ? undefined : 'line-through'}>
              {name}
            </Text>
            <Group gap={6} wrap="nowrap" flex="none">
              {!allowed && (
                <Badge variant="default" tt="none">
                  Not allowed
                </Badge>
              )}
              <Badge variant="dot" color={EFFECTS[effect].color} tt="none">
                {EFFECTS[effect].label}
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
