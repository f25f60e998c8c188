import { useLocalStorage } from '@mantine/hooks';
import { useScope } from '../../../scope/scope-context.tsx';

const NONE: string[] = [];

export function useChatSettings() {
  const { storageKey } = useScope();
  const [model, setModel] = useLocalStorage<string | null>({
    key: 'chorus.chat.model',
    defaultValue: null,
    getInitialValueInEffect: false,
  });
  const [usesKnowledge, setUsesKnowledge] = useLocalStorage({
    key: 'chorus.chat.knowledge',
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  const [knowledgeTags, setKnowledgeTags] = useLocalStorage<string[]>({
    key: `chorus.chat.tags.${storageKey}`,
    defaultValue: NONE,
    getInitialValueInEffect: false,
  });
  return { model, setModel, usesKnowledge, setUsesKnowledge, knowledgeTags, setKnowledgeTags };
}
