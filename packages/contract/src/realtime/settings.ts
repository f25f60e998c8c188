import { z } from 'zod';
import { turnDetection } from '../turn-detection.ts';
import { REALTIME_LIMITS } from './limits.ts';

const modality = z.enum(['text', 'audio']);
/** Who wants sound gets its words with it. */
const modalities = z
  .array(modality)
  .min(1)
  .max(2)
  .transform((asked): 'audio' | 'text' => (asked.includes('audio') ? 'audio' : 'text'));

/** The one format that is spoken here, in the words of now and of the beta. */
const format = z.union(
  [
    z.literal('pcm16'),
    z.object({ type: z.literal('audio/pcm'), rate: z.literal(24_000).optional() }),
    // Agents' SDK writes the name alone.
    z.literal('audio/pcm'),
  ],
  { error: 'must be audio/pcm with the rate 24000' },
);

const name = z.string().trim().min(1).max(100);
const voice = z.union([name, z.object({ id: name }).transform(({ id }) => id)]);
const instructions = z.string().max(REALTIME_LIMITS.textCharacters);
const tokens = z
  .union([z.int().min(1).max(1_000_000), z.literal('inf')])
  .transform((asked) => (asked === 'inf' ? null : asked));

const transcription = z
  .object({
    model: name.nullish(),
    language: z.string().trim().max(35).nullish(),
    prompt: z.string().max(REALTIME_LIMITS.textCharacters).nullish(),
  })
  .transform((asked) => ({ model: asked.model ?? null, language: asked.language ?? null }));

/** How a socket hears, answers and speaks; as plain as it is used. */
export interface RealtimeSettings {
  /** Whether answers are spoken, or only written. */
  modality: 'audio' | 'text';
  /** Null: the agent's, or none. */
  instructions: string | null;
  /** As it was asked for; null: the usual one. */
  voice: string | null;
  /** 1: as the voice speaks by itself. */
  speed: number;
  /** Tokens of an answer; null: no limit. */
  max_output_tokens: number | null;
  temperature: number | null;
  /** What is told of that which was heard; null: nothing. It is heard in either case. */
  transcription: { model: string | null; language: string | null } | null;
  /** Null: the client says when a turn is over. */
  turn_detection: z.output<typeof turnDetection> | null;
}

export const DEFAULT_REALTIME_SETTINGS: RealtimeSettings = {
  modality: 'audio',
  instructions: null,
  voice: null,
  speed: 1,
  max_output_tokens: null,
  temperature: null,
  transcription: null,
  turn_detection: turnDetection.parse({ type: 'server_vad' }),
};

/** Fields that a client may send and that change nothing here. */
const withoutMeaning = ['model', 'object', 'id', 'type', 'expires_at', 'input_audio_noise_reduction'];

const shared = {
  output_modalities: modalities.optional(),
  modalities: modalities.optional(),
  instructions: instructions.nullish(),
  voice: voice.nullish(),
  speed: z.number().min(0.25).max(1.5).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  max_output_tokens: tokens.nullish(),
  max_response_output_tokens: tokens.nullish(),
  output_audio_format: format.nullish(),
};
const output = z.object({
  format: format.nullish(),
  voice: voice.nullish(),
  speed: z.number().min(0.25).max(1.5).nullish(),
});

const settingsFields = z.looseObject({
  ...shared,
  type: z.literal('realtime', { error: 'must be realtime' }).optional(),
  audio: z
    .object({
      input: z
        .object({
          format: format.nullish(),
          transcription: transcription.nullish(),
          turn_detection: turnDetection.nullish(),
        })
        .optional(),
      output: output.optional(),
    })
    .optional(),
  input_audio_format: format.nullish(),
  input_audio_transcription: transcription.nullish(),
  turn_detection: turnDetection.nullish(),
});

/** What `session.update` changes: all that is absent stays. `ignored`: names of fields that can't be honoured. */
export interface RealtimeChange {
  settings: Partial<RealtimeSettings>;
  ignored: string[];
}

/** The `session` of a `session.update`, in the shape of now or of the beta. Unknown fields are no mistake. */
export const realtimeSession = settingsFields.transform((asked): RealtimeChange => {
  const { audio } = asked;
  return {
    settings: present({
      ...sharedSettings(asked, audio?.output),
      transcription: first(audio?.input?.transcription, asked.input_audio_transcription),
      turn_detection: first(audio?.input?.turn_detection, asked.turn_detection),
    }),
    ignored: ignoredOf(asked, settingsFields.shape),
  };
});

const responseFields = z.looseObject({ ...shared, audio: z.object({ output: output.optional() }).optional() });

/** What `response.create` changes for that one response. */
export function responseChange(asked: z.output<typeof responseFields>, known: object): RealtimeChange {
  return {
    settings: present(sharedSettings(asked, asked.audio?.output)),
    ignored: ignoredOf(asked, { ...responseFields.shape, ...known }),
  };
}
export const responseShape = responseFields.shape;

function sharedSettings(
  asked: Pick<z.output<typeof responseFields>, keyof typeof shared>,
  spoken: z.output<typeof output> | undefined,
) {
  return {
    modality: asked.output_modalities ?? asked.modalities,
    instructions: asked.instructions,
    voice: first(spoken?.voice, asked.voice),
    speed: first(spoken?.speed, asked.speed) ?? undefined,
    max_output_tokens: first(asked.max_output_tokens, asked.max_response_output_tokens),
    temperature: asked.temperature,
  };
}

/** The one that was sent; null is a value. */
function first<T>(one: T | undefined, other: T | undefined): T | undefined {
  return one === undefined ? other : one;
}

function present(settings: { [Name in keyof RealtimeSettings]?: RealtimeSettings[Name] | undefined }) {
  return Object.fromEntries(
    Object.entries(settings).filter(([, value]) => value !== undefined),
  ) as Partial<RealtimeSettings>;
}

function ignoredOf(asked: object, known: object): string[] {
  const empty = (value: unknown) => value == null || (Array.isArray(value) && value.length === 0);
  return Object.entries(asked)
    .filter(([field, value]) => !(field in known) && !withoutMeaning.includes(field) && !empty(value))
    .map(([field]) => field.slice(0, 100));
}
