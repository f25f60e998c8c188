import { useLocalStorage } from '@mantine/hooks';
import { useModels } from '../../../data/queries.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { type ByConversation, type ModelParameters, offeredParameters, withParameters } from './model-parameters.ts';
import { useChatSettings } from './use-chat-settings.ts';

const NONE: ModelParameters = {};
const NO_CONVERSATION: ByConversation = {};

/** The key of a conversation that does not exist yet. */
export const NEW = 'new';

/** Reads and sets the parameters of a conversation. This browser remembers them. */
export function useModelParameters(conversation: string) {
  const { storageKey } = useScope();
  const [all, setAll] = useLocalStorage<ByConversation>({
    key: `chorus.chat.parameters.${storageKey}`,
    defaultValue: NO_CONVERSATION,
    getInitialValueInEffect: false,
  });
  const parameters = all[conversation] ?? NONE;
  return {
    parameters,
    setParameters: (changed: ModelParameters) => setAll(withParameters(all, conversation, changed)),
    /** Moves the parameters of a new conversation to the created one. */
    moveTo: (id: string) => setAll(withParameters(withParameters(all, id, parameters), conversation, NONE)),
  };
}

/** Returns the parameters that the chosen model accepts. The default model may be any model. */
export function useOfferedParameters() {
  const { model } = useChatSettings();
  const models = useModels('chat');
  return offeredParameters(model === null ? models : models.filter(({ id }) => id === model));
}
