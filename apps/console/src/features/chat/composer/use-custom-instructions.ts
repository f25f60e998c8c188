import { useLocalStorage } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { INSTRUCTIONS_KEY } from '../../../data/queries.ts';
import { useScope } from '../../../scope/scope-context.tsx';

const NONE: Record<string, boolean> = {};

/** Choices for older conversations are dropped. */
const MAX_CONVERSATIONS = 200;

/** Reads and sets whether a conversation uses the custom instructions. This browser remembers it. */
export function useCustomInstructions(conversation: string) {
  const { client, storageKey } = useScope();
  const [chosen, setChosen] = useLocalStorage({
    key: `chorus.chat.instructions.${storageKey}`,
    defaultValue: NONE,
    getInitialValueInEffect: false,
  });
  const { data } = useQuery({
    queryKey: INSTRUCTIONS_KEY,
    queryFn: ({ signal }) => client.me.instructions({ signal }),
  });
  const exist = data !== undefined && (data.about_me !== '' || data.answer_style !== '');
  const isOn = exist && (chosen[conversation] ?? data.enabled);
  const withChoice = (id: string, value: boolean) =>
    Object.fromEntries(
      [...Object.entries(chosen).filter(([other]) => other !== id), [id, value] as const].slice(-MAX_CONVERSATIONS),
    );
  return {
    exist,
    isOn,
    change: (value: boolean) => setChosen(withChoice(conversation, value)),
    /** Moves the choice for a new conversation to the created one. */
    moveTo: (id: string) => {
      const { [conversation]: value, ...others } = chosen;
      if (value !== undefined) setChosen({ ...others, [id]: value });
    },
  };
}
