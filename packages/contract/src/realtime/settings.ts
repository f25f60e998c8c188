import { z } from 'zod';
import { turnDetection } from '../turn-detection.ts';
import { REALTIME_LIMITS } from './limits.ts';

const modality = z.enum(['text', 'audio']);
/** Audio output includes its text. */
const modalities = z
  .array(modality)
  .min(1)
  .max(2)
  .transform((asked): 'audio' | 'text' => (asked.includes('audio') ? 'audio' : 'text'));

/** The only audio format, in the current and the beta form. */
const format = z.union(
  [
    z.literal('pcm16'),
    z.object({ type: z.literal('audio/pcm'), rate: z.literal(24_000).optional() }),
    // The Agents SDK sends only the name.
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

/** The settings of a socket, normalized. */
export interface RealtimeSettings {
  modality: 'audio' | 'text';
  /** Null: the agent's, or none. */
  instructions: string | null;
  /** The requested voice. Null: the default. */
  voice: string | null;
  /** 1: the voice's natural speed. */
  speed: number;
  /** Null: no limit. */
  max_output_tokens: number | null;
  temperature: number | null;
  /** Whether and how the user's speech is transcribed for the client. Null: no transcript is sent. */
  transcription: { model: string | null; language: string | null } | null;
  /** Null: the client ends turns itself. */
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

/** Accepted fields without effect. */
const IGNORED_FIELDS = ['model', 'object', 'id', 'type', 'expires_at', 'input_audio_noise_reduction'];

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

/** Changes of a `session.update`. Absent fields stay. `ignored`: unsupported fields. */
export interface RealtimeChange {
  settings: Partial<RealtimeSettings>;
  ignored: string[];
}

/** The `session` of a `session.update`, in the current or the beta form. Unknown fields are accepted. */
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

/** Returns the changes that `response.create` makes for one response. */
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

/** Returns the first that was sent. Null counts as sent. */
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
    .filter(([field, value]) => !(field in known) && !IGNORED_FIELDS.includes(field) && !empty(value))
    .map(([field]) => field.slice(0, 100));
}
