import { Group, Text, Tooltip } from '@mantine/core';
import { useConnection } from '../data/live-events.tsx';
import classes from './live-indicator.module.css';

const states = {
  open: { label: 'Live', hint: 'What happens elsewhere is shown at once.' },
  connecting: { label: 'Connecting …', hint: 'The connection is being made.' },
  waiting: {
    label: 'Offline',
    hint: 'The server cannot be reached. It is tried again by itself; nothing that runs there is lost.',
  },
} as const;

/** Whether the console hears of what happens. */
export function LiveIndicator() {
  const connection = useConnection();
  const { label, hint } = states[connection];
  return (
    <Tooltip label={hint} multiline w={240} position="top-start">
      <Group gap={6} role="status" tabIndex={0} className={classes.indicator}>
        <span className={classes.dot} data-state={connection} />
        <Text size="xs" c="dimmed">
          {label}
        </Text>
      </Group>
    </Tooltip>
  );
}
