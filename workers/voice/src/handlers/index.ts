import type { HandlersFor } from '@chorus/worker-kit';
import type { VoiceParts } from './voice-parts.ts';
import { voiceTurn } from './voice-turn.ts';

/** The handlers of the voice pool, a line for each kind. */
export const createHandlers = (parts: VoiceParts): HandlersFor<'voice'> => ({
  'voice.turn': voiceTurn(parts),
});
