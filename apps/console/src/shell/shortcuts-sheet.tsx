import { Group, Stack, Text } from '@mantine/core';
import { Dialog } from '../components/dialog.tsx';
import { SectionTitle } from '../components/text.tsx';
import { Keys } from './keys.tsx';
import { shortcuts } from './shortcuts.ts';

export default function ShortcutsSheet({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Dialog opened={opened} onClose={onClose} title="Keyboard shortcuts">
      <Stack>
        {shortcuts.map(({ title, shortcuts: rows }) => (
          <section key={title}>
            <SectionTitle mb={6}>{title}</SectionTitle>
            {rows.map(({ keys, label }) => (
              <Group key={label} justify="space-between" wrap="nowrap" py={4}>
                <Text size="sm">{label}</Text>
                <Keys keys={keys} />
              </Group>
            ))}
          </section>
        ))}
      </Stack>
    </Dialog>
  );
}
