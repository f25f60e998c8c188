import { ChorusError, OPENAI_VOICES, type SpeechVoice } from '@chorus/contract';

/** Providers with custom voices, so their lists are never complete. */
const OPEN_LISTS: ReadonlySet<string> = new Set(['elevenlabs', 'compatible']);

/** A custom voice of OpenAI. */
const CUSTOM = /^voice_\w+$/;

/** Voices to list in an error. */
const MAX_NAMED = 60;

export interface VoiceRequest {
  /** The speech model as `provider/model`. */
  model: string;
  asked: string | null;
  /** Field of the request, for the error. */
  path: string;
}

/**
 * Returns the voice to request from the model, or null for its default. The names of OpenAI's voices, which its
 * clients always send, work with every model.
 *
 * @param voices known voices of any model
 * @throws {ChorusError} `invalid_request` that lists the voices of the model
 */
export function chooseVoice(
  voices: readonly Pick<SpeechVoice, 'model' | 'id' | 'stands_for'>[],
  wish: VoiceRequest,
): string | null {
  const { model, asked, path } = wish;
  if (asked === null) return null;
  const own = voices.filter((voice) => voice.model === model);
  const known = [...new Set(own.map(({ id }) => id))];
  const [provider] = model.split('/', 1) as [string];
  if (known.includes(asked)) return asked;
  const standIn = own.find(({ stands_for }) => stands_for?.includes(asked));
  if (standIn !== undefined) return standIn.id;
  if (isOpenAiVoice(asked)) return provider === 'embedded' || provider === 'openai' ? asked : null;
  if (OPEN_LISTS.has(provider) || (provider === 'openai' && CUSTOM.test(asked))) return asked;
  const message =
    known.length === 0
      ? `must be omitted: ${model} has only one voice`
      : `must be a voice of ${model}: ${known.slice(0, MAX_NAMED).join(', ')}, or an OpenAI voice such as alloy`;
  throw new ChorusError('invalid_request', `${path}: ${message}`, { details: [{ path, message }] });
}

const isOpenAiVoice = (name: string) => OPENAI_VOICES.some((voice) => voice === name);
