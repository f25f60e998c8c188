import { Group, Stack, Text } from '@mantine/core';
import { Dialog } from '../components/dialog.tsx';
import { SectionTitle } from '../components/text.tsx';
import { t } from '../i18n/i18n.ts';
import type { MessageKey } from '../i18n/messages.ts';
import { Keys } from './keys.tsx';
import { MOD, PALETTE_KEYS } from './shortcuts.ts';

/** The keys of a shortcut are pressed together. */
interface Shortcut {
  keys: readonly string[];
  label: MessageKey;
}

const groups: readonly { title: MessageKey; shortcuts: readonly Shortcut[] }[] = [
  {
    title: 'palette.everywhere',
    shortcuts: [
      { keys: PALETTE_KEYS, label: 'palette.openPalette' },
      { keys: ['?'], label: 'palette.showShortcuts' },
      { keys: [MOD, '/'], label: 'palette.showShortcutsWhileTyping' },
    ],
  },
  {
    title: 'common.chat',
    shortcuts: [
      { keys: [MOD, 'Shift', 'O'], label: 'palette.startConversation' },
      { keys: ['/'], label: 'palette.goToMessage' },
      { keys: ['Enter'], label: 'palette.sendMessage' },
      { keys: ['Shift', 'Enter'], label: 'palette.newLine' },
      { keys: ['Esc'], label: 'palette.stopAnswer' },
    ],
  },
  { title: 'common.voice', shortcuts: [{ keys: ['Esc'], label: 'palette.interruptSpeech' }] },
];

export default function ShortcutsSheet({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Dialog opened={opened} onClose={onClose} title={t('common.keyboardShortcuts')}>
      <Stack>
        {groups.map(({ title, shortcuts }) => (
          <section key={title}>
            <SectionTitle mb={6}>{t(title)}</SectionTitle>
            {shortcuts.map(({ keys, label }) => (
              <Group key={label} justify="space-between" wrap="nowrap" py={4}>
                <Text size="sm">{t(label)}</Text>
                <Keys keys={keys} />
              </Group>
            ))}
          </section>
        ))}
      </Stack>
    </Dialog>
  );
}
