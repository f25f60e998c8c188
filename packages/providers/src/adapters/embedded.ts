import { type Capability, ChorusError, refusalOf, type Usage, unsupportedUse } from '@chorus/contract';
import {
  drawImage,
  drawVideo,
  EmbeddedSpeech,
  LocalModel,
  SentenceEncoder,
  streamAnswer,
} from '@chorus/embedded-models';
import { requireModelFiles } from '@chorus/runtime/components';
import type { AdapterContext, ChatCall, KnownModel, Provider } from '../provider-port.ts';

const CHAT_MODEL = 'assistant';
/** The assistant is rule-based, so these settings have no effect. */
const IGNORED_SETTINGS = ['temperature', 'top_p', 'seed', 'presence_penalty', 'frequency_penalty', 'user'] as const;
/** Neither the assistant nor the local engine can do this. */
const UNSUPPORTED = [
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'response_format',
  'reasoning_effort',
  'verbosity',
  'logprobs',
  'top_logprobs',
  'logit_bias',
  'service_tier',
  'input_audio',
  'file',
] as const;
const UNSUPPORTED_SET: ReadonlySet<string> = new Set(UNSUPPORTED);
const LOCAL_MODEL = 'local';
const IMAGE_MODEL = 'canvas';
const VIDEO_MODEL = 'canvas-video';
const EMBEDDING_MODEL = 'use-lite';
/** Up to this many texts are as urgent as a question. */
const FEW_TEXTS = 8;

export function createAdapter({ modelPath, modelsFolder, log }: AdapterContext): Provider {
  const local = modelPath === null ? null : new LocalModel(modelPath, log);
  local?.start().catch(() => {}); // calls report the failure
  const encoder = new SentenceEncoder(log);
  const speech = new EmbeddedSpeech(log, modelsFolder);
  const builtIn: KnownModel[] = [
    { ...known(CHAT_MODEL, 'chat'), unsupportedSettings: UNSUPPORTED, ignoredSettings: IGNORED_SETTINGS },
    known(IMAGE_MODEL, 'image'),
    known(VIDEO_MODEL, 'video'),
    known(EMBEDDING_MODEL, 'embedding'),
    ...speech.transcriptionModels().map(({ id, ...options }) => ({ ...known(id, 'transcription'), ...options })),
    ...speech.speechModels().map(({ id, ...options }) => ({ ...known(id, 'speech'), ...options })),
  ];
  const models = (): KnownModel[] =>
    local === null || local.unusable
      ? builtIn
      : [
          { ...known(LOCAL_MODEL, 'chat'), unsupportedSettings: UNSUPPORTED, contextWindow: local.contextWindow },
          ...builtIn,
        ];
  return {
    models,
    defaultModel: () => models()[0]?.id ?? CHAT_MODEL,
    settled: () => true,
    status: () => 'ok',
    streamChat(call, options) {
      refuseUnsupported(call);
      if (local !== null && call.model === LOCAL_MODEL) return local.stream(call, options);
      requireModel(CHAT_MODEL, call.model, 'chat');
      return streamAnswer(call, options);
    },
    async generateImage(call, options) {
      requireModel(IMAGE_MODEL, call.model, 'image');
      requireModelFiles(`embedded/${IMAGE_MODEL}`);
      return drawImage(call, options);
    },
    async renderVideo(call, options) {
      requireModel(VIDEO_MODEL, call.model, 'video');
      requireModelFiles(`embedded/${VIDEO_MODEL}`);
      return drawVideo(call, options);
    },
    async embed({ model, texts, purpose }, options) {
      requireModel(EMBEDDING_MODEL, model, 'embedding');
      requireModelFiles(`embedded/${EMBEDDING_MODEL}`);
      const urgent = purpose === 'query' || (purpose === null && texts.length <= FEW_TEXTS);
      const { vectors, tokens, cut } = await encoder.encode(texts, urgent ? 'query' : 'document', options);
      if (purpose === null && cut !== null) throw tooLong(cut);
      const usage: Usage = { input_tokens: tokens, output_tokens: 0, total_tokens: tokens, cost_usd: null };
      return { embeddings: vectors, usage };
    },
    streamSpeech(call, options) {
      requireModelFiles(`embedded/${call.model}`);
      return speech.streamSpeech(call, options);
    },
    voices: (model) => speech.voices(model),
    async transcribe(call, options) {
      requireModelFiles(`embedded/${call.model}`);
      return speech.transcribe(call, options);
    },
    openTranscription(call, options) {
      requireModelFiles(`embedded/${call.model}`);
      return speech.openTranscription(call, options);
    },
    prepare: (model, voice) => speech.prepare(model, voice),
    close() {
      local?.close();
      encoder.close();
      speech.close();
    },
  };
}

function known(id: string, capability: Capability): KnownModel {
  return { id, created: 0, capabilities: [capability], contextWindow: null };
}

function tooLong(index: number): ChorusError {
  const message = `is too long: ${EMBEDDING_MODEL} reads up to 1,024 tokens, about 4,000 characters`;
  return new ChorusError('context_too_long', `A text ${message}.`, {
    details: [{ path: `body.input.${index}`, message }],
  });
}

/** @throws ChorusError `invalid_request` that says what the model cannot do */
function refuseUnsupported({ model, settings, messages, lenient }: ChatCall): void {
  const [first] = lenient ? [] : unsupportedUse(settings, messages, UNSUPPORTED_SET);
  if (first !== undefined)
    throw new ChorusError('invalid_request', `\`${first.path}\` ${refusalOf(`embedded/${model}`, first)}`);
}

function requireModel(model: string, asked: string, capability: Capability): void {
  if (asked !== model)
    throw new ChorusError('model_not_found', `The embedded provider has one ${capability} model: ${model}`);
}
