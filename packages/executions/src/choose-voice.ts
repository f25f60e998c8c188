import { ChorusError, type SpeechVoice } from '@chorus/contract';

/** Names that OpenAI clients send by default. Every engine maps them to its nearest voice. */
const OPENAI_VOICES: ReadonlySet<string> = new Set([
  ...['alloy', 'ash', 'ballad', 'cedar', 'coral', 'echo', 'fable'],
  ...['marin', 'nova', 'onyx', 'sage', 'shimmer', 'verse'],
]);

/** Providers with custom voices, for which no list is complete. */
const OPEN_LISTS: ReadonlySet<string> = new Set(['elevenlabs', 'compatible']);

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
 * Returns the voice to request from the model, or null for its default.
 *
 * @param voices known voices of any model
 * @throws {ChorusError} `invalid_request` that lists the voices of the model
 */
export function chooseVoice(voices: readonly Pick<SpeechVoice, 'model' | 'id'>[], wish: VoiceRequest): string | null {
  const { model, asked, path } = wish;
  if (asked === null) return null;
  const known = [...new Set(voices.flatMap((voice) => (voice.model === model ? voice.id : [])))];
  const [provider] = model.split('/', 1) as [string];
  if (known.includes(asked)) return asked;
  // The embedded engines map these names themselves.
  if (OPENAI_VOICES.has(asked)) return provider === 'embedded' ? asked : null;
  if (OPEN_LISTS.has(provider)) return asked;
  const message =
    known.length === 0
      ? `must be omitted: ${model} has only one voice`
      : `must be a voice of ${model}: ${known.slice(0, MAX_NAMED).join(', ')}, or an OpenAI voice such as alloy`;
  throw new ChorusError('invalid_request', `${path}: ${message}`, { details: [{ path, message }] });
}
