import type { HandlersFor } from '@chorus/worker-kit';
import { type ChatParts, chatCompletion } from './chat-completion.ts';

/** The handlers of the text pool, a line for each kind. */
export const createHandlers = (parts: ChatParts): HandlersFor<'text'> => ({
  'chat.completion': chatCompletion(parts),
});
