import { BookOpenIcon } from '@heroicons/react/24/outline';
import { Button, Tooltip } from '@mantine/core';
import classes from './composer.module.css';
import { useChatSettings } from './use-chat-settings.ts';

export function KnowledgeSwitch() {
  const { usesKnowledge, setUsesKnowledge } = useChatSettings();
  return (
    <Tooltip label={usesKnowledge ? 'Answers cite your documents' : 'Your documents are not looked at'}>
      <Button
        size="compact-sm"
        variant={usesKnowledge ? 'light' : 'subtle'}
        color={usesKnowledge ? undefined : 'gray'}
        leftSection={<BookOpenIcon />}
        aria-label="Knowledge"
        aria-pressed={usesKnowledge}
        onClick={() => setUsesKnowledge(!usesKnowledge)}
      >
        <span className={classes.optionLabel}>Knowledge</span>
      </Button>
    </Tooltip>
  );
}
