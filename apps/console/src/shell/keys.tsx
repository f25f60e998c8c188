import { Group, Kbd } from '@mantine/core';

/** Shows the keys of a shortcut. */
export function Keys({ keys }: { keys: readonly string[] }) {
  return (
    <Group gap={4} wrap="nowrap" dir="ltr">
      {keys.map((key) => (
        <Kbd key={key} size="xs">
          {key}
        </Kbd>
      ))}
    </Group>
  );
}
