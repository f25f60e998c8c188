import { Text } from '@mantine/core';

/** In place of what only some may do to a record: who they are. @param maker as in `Who added it`; @param what as in `delete it` */
export function MakersNote({ maker, what }: { maker: string; what: string }) {
  return (
    <Text size="sm" c="dimmed">
      {maker}, and admins, can {what}.
    </Text>
  );
}
