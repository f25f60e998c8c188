import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  SharedV4Warning,
} from '@ai-sdk/provider';
import { ChorusError, type Usage } from '@chorus/contract';
import { CallAttempts, type CallFrame } from './call-attempts.ts';
import { droppedSettings } from './call-settings.ts';
import type { CallWatch } from './call-watch.ts';
import type { ChatDialect } from './chat-dialect.ts';
import { TruncatedStream } from './failure-facts.ts';
import { PartReader } from './part-reader.ts';
import type { CallOptions, ChatCall, ChatPart, FinishReason } from './provider-port.ts';
import { takeBody } from './take-body.ts';
import { toUsage } from './to-usage.ts';
import { chatEstimator } from './usage/estimate-chat.ts';
import { EventReader } from './wires/event-reader.ts';
import type { MakeWire, WirePart } from './wires/wire.ts';

type Finish = Extract<LanguageModelV4StreamPart, { type: 'finish' }>;

/** How a call starts an attempt and adapts after failures. */
export interface ChatStart {
  /**
   * Starts one attempt: the package's `doStream` with this signal.
   *
   * @param continuation Token of an answer that continues in another request.
   */
  start: (abortSignal: AbortSignal, continuation?: string) => ReturnType<LanguageModelV4['doStream']>;
  /** Identifies anything besides the model and the settings that changes the package's warnings. */
  variant?: () => string;
  /** Returns a function to call once the package has accepted all settings. Null: it is known to accept them. */
  uncheckedSettings?: () => (() => void) | null;
  /** Creates the reader for the next answer. Null or missing: the package reads it. */
  wire?: () => MakeWire | null;
  /** Handles a failure first. Returns true if `start` has adapted, to retry immediately. */
  adapt?: (thrown: unknown) => boolean;
}

/** Prepares a call for one kind of a package's models. */
export type PrepareChat = (call: ChatCall, options: Omit<LanguageModelV4CallOptions, 'abortSignal'>) => ChatStart;

/**
 * Runs a chat call. Failures before the first part are retried at most twice, and later ones are thrown.
 * Leaving the iteration, or aborting the signal, closes the connection.
 */
export async function* streamModel(
  frame: CallFrame & { dialect: ChatDialect },
  call: ChatCall,
  chat: ChatStart,
  options: CallOptions,
): AsyncGenerator<ChatPart, void, undefined> {
  const { signal } = options;
  const attempts = new CallAttempts(frame, options, { operation: 'chat', model: call.model });
  const estimateOf = chatEstimator(`${frame.provider}/${call.model}`, call, frame.inBatch);
  for (;;) {
    const entered = attempts.enter();
    const attempt = entered instanceof Promise ? await entered : entered;
    const parts = new PartReader(`${frame.provider}/${call.model}`, frame.dialect);
    let refused = false;
    let shown = false;
    let bytes = 0;
    let isReported = false;
    const estimate = () => estimateOf(bytes);
    let pauseMs: number;
    try {
      options.onSent?.(estimate);
      const source = await openSource(chat, attempt.watch, frame.provider, call);
      let finish: Finish | null = null;
      for (;;) {
        const batch = await source.read();
        if (batch === null) break;
        for (let at = 0; at < batch.length; at += 1) {
          const value = batch[at] as WirePart;
          if (signal.aborted) throw signal.reason;
          let part: ChatPart | null;
          if (value.type === 'text-delta') {
            // Merges all text of one read into one part.
            let text = value.delta;
            for (let next = batch[at + 1]; next?.type === 'text-delta'; next = batch[at + 1]) {
              text += next.delta;
              at += 1;
            }
            if (text === '') continue;
            part = parts.text(text);
          } else if (value.type === 'refusal-delta') {
            refused = true;
            part = { type: 'refusal', text: value.delta };
          } else if (value.type === 'finish') {
            finish = value;
            continue;
          } else if (value.type === 'stream-start') {
            checkSettings(value.warnings, call, frame.provider);
            continue;
          } else if (value.type === 'error') throw value.error;
          else part = parts.read(value);
          if (part === null) continue;
          shown = true;
          bytes += bytesOf(part);
          yield part;
        }
      }
      const answered = { shown, refused, called: parts.calls > 0 };
      const last = finishOf(finish, answered, frame, call.model, estimate);
      isReported = true;
      attempts.succeeded(attempt, last.usage);
      const rest = parts.end();
      if (rest !== null) yield rest;
      yield last;
      return;
    } catch (thrown) {
      if (!signal.aborted && !shown && !attempt.watch.timedOut && chat.adapt?.(thrown)) {
        attempts.adapted(attempt);
        continue;
      }
      pauseMs = attempts.failed(attempt, thrown, shown);
    } finally {
      attempts.leave(attempt);
      // A provider that fails before its first word costs nothing.
      if (!isReported && (bytes > 0 || signal.aborted)) options.onUnfinished?.(estimate());
    }
    await attempts.pause(pauseMs);
  }
}

/** Returns the length of what a model wrote, in UTF-8. */
function bytesOf(part: ChatPart): number {
  if (part.type === 'finish') return 0;
  return Buffer.byteLength(part.type === 'tool_call' ? part.name + part.arguments : part.text);
}

/** Reads the parts of one answer, a few at a time. */
interface PartSource {
  read(): Promise<readonly WirePart[] | null>;
}

/** Sends the request. Reads the answer with our own wire if there is one, else through the package. */
async function openSource(chat: ChatStart, watch: CallWatch, provider: string, call: ChatCall): Promise<PartSource> {
  const { start } = chat;
  const makeWire = chat.wire?.() ?? null;
  if (makeWire === null) return packageParts((await start(watch.signal)).stream.getReader());

  const mayDrop = !call.lenient && Object.keys(call.settings).length > 0;
  const accept = mayDrop ? chat.uncheckedSettings?.() : null;
  const check = (warnings: readonly SharedV4Warning[]) => {
    checkSettings(warnings, call, provider);
    accept?.();
  };
  const body = await takeBody(() => start(watch.signal), watch, accept === null ? null : check);
  const reopen = (token: string) => takeBody(() => start(watch.signal, token), watch, null);
  return new EventReader(body, makeWire(call.settings.logprobs === true), reopen);
}

const packageParts = (reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart>): PartSource => ({
  async read() {
    const { done, value } = await reader.read();
    return done ? null : [value];
  },
});

/** @throws {ChorusError} `invalid_request` if a setting that the caller requires was left out */
export function checkSettings(
  warnings: readonly SharedV4Warning[],
  { model, settings, lenient }: ChatCall,
  provider: string,
): void {
  const [dropped] = lenient || warnings.length === 0 ? [] : droppedSettings(warnings, settings);
  if (dropped === undefined) return;
  const { name, details } = dropped;
  throw new ChorusError(
    'invalid_request',
    `\`${name}\` is not supported by ${provider}/${model}${details && `: ${details}`}`,
  );
}

/** The contents of an answer. */
interface Answered {
  shown: boolean;
  refused: boolean;
  called: boolean;
}

function finishOf(
  finish: Finish | null,
  { shown, refused, called }: Answered,
  { provider, inBatch }: CallFrame,
  model: string,
  estimate: () => Usage,
): Extract<ChatPart, { type: 'finish' }> {
  if (finish === null) throw new TruncatedStream();
  const { unified, raw } = finish.finishReason;
  switch (unified) {
    case 'interrupted':
    case 'error':
      throw new TruncatedStream(raw);
    case 'content-filter':
      if (!shown) throw new ChorusError('content_refused', `${provider} refused to answer${explanationOf(finish)}`);
      break;
    // `other` means a reason that the package does not know. No reason means a truncated stream.
    case 'other':
      if (raw === undefined) throw new TruncatedStream();
      break;
    default:
  }
  const reason = FINISH_REASONS[unified];
  // Some servers report no usage, which would make the answer free.
  const reported = toUsage(`${provider}/${model}`, finish.usage, inBatch);
  const stopSequence = finish.providerMetadata?.anthropic?.stopSequence;
  return {
    type: 'finish',
    finish_reason:
      // The package takes a refusal for a filter.
      reason === 'content_filter' && refused && raw !== 'content_filter'
        ? 'stop'
        : reason === 'stop' && called // servers differ in the reason after calls
          ? 'tool_calls'
          : reason,
    usage: reported.total_tokens > 0 ? reported : estimate(),
    ...(typeof stopSequence === 'string' && { stop_sequence: stopSequence }),
  };
}

/** Returns the reason of a refusal: Anthropic's sentence, or Google's word. */
function explanationOf({ finishReason: { raw }, providerMetadata }: Finish): string {
  const details = providerMetadata?.anthropic?.stopDetails as { explanation?: unknown } | undefined;
  if (typeof details?.explanation === 'string') return `: ${details.explanation.slice(0, MAX_EXPLANATION)}`;
  return raw === undefined || /^(content_filter|refusal|stop)$/.test(raw) ? '' : ` (${raw})`;
}

const MAX_EXPLANATION = 500;

const FINISH_REASONS: Record<Exclude<Finish['finishReason']['unified'], 'interrupted' | 'error'>, FinishReason> = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'content_filter',
  'tool-calls': 'tool_calls',
  other: 'stop',
};
