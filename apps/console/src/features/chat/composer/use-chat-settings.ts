import { useLocalStorage } from '@mantine/hooks';

/** How turns are answered; remembered by the browser. */
export function useChatSettings() {
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
  return { model, setModel, usesKnowledge, setUsesKnowledge };
}
