import { setTimeout as pause } from 'node:timers/promises';
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { ChorusError, type SamplingSettings, type Usage } from '@chorus/contract';
import type { Logger } from '@chorus/log';
import type { CallStatus } from './call-status.ts';
import { CallWatch } from './call-watch.ts';
import { type FailureContext, type ProviderFailure, StreamCut, toFailure } from './provider-failure.ts';
import type { ChatPart, FinishReason } from './provider-port.ts';

const MAX_RETRIES = 2;
const FIRST_DELAY_MS = 250;
/** A provider that asks for a longer pause than this is not waited for. */
const MAX_RETRY_AFTER_S = 10;

type Finish = Extract<LanguageModelV4StreamPart, { type: 'finish' }>;

export interface ModelCall extends FailureContext {
  /** One try: the provider package's `doStream` with this signal. */
  start: (abortSignal: AbortSignal) => ReturnType<LanguageModelV4['doStream']>;
  signal: AbortSignal;
  idleTimeoutMs: number;
  status: CallStatus;
  /** Sees a failure before it is judged; true: `start` will do otherwise now, so try again at once. */
  adapt?: (thrown: unknown) => boolean;
  log: Logger;
  executionId: string;
}

/** The settings under the names of the provider packages. */
export function toCallSettings(settings: SamplingSettings): Omit<LanguageModelV4CallOptions, 'prompt'> {
  return {
    ...(settings.temperature !== undefined && { temperature: settings.temperature }),
    ...(settings.top_p !== undefined && { topP: settings.top_p }),
    ...(settings.max_tokens !== undefined && { maxOutputTokens: settings.max_tokens }),
    ...(settings.stop !== undefined && settings.stop.length > 0 && { stopSequences: settings.stop }),
    ...(settings.seed !== undefined && { seed: settings.seed }),
    ...(settings.presence_penalty !== undefined && { presencePenalty: settings.presence_penalty }),
    ...(settings.frequency_penalty !== undefined && { frequencyPenalty: settings.frequency_penalty }),
  };
}

/**
 * Runs one call of a provider package's model. What fails before the first text is tried again, at most twice; what fails
 * after it is thrown. Leaving the iteration, or the signal, closes the connection.
 */
export async function* streamModel(call: ModelCall): AsyncGenerator<ChatPart, void, undefined> {
  const { signal, status } = call;
  for (let retries = 0; ; ) {
    signal.throwIfAborted();
    const watch = new CallWatch(signal, call.idleTimeoutMs);
    let shown = false;
    let failure: ProviderFailure;
    try {
      const { stream } = await call.start(watch.signal);
      const reader = stream.getReader();
      let finish: Finish | null = null;
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        if (signal.aborted) throw signal.reason;
        if (value.type === 'text-delta') {
          if (value.delta === '') continue;
          shown = true;
          yield { type: 'text', text: value.delta };
        } else if (value.type === 'finish') finish = value;
        else if (value.type === 'error') throw value.error;
      }
      const last = finishOf(finish, shown, call.provider);
      status.called(true);
      yield last;
      return;
    } catch (thrown) {
      if (signal.aborted) throw signal.reason;
      if (!shown && !watch.timedOut && call.adapt?.(thrown)) continue;
      failure = watch.timedOut ? silence(call) : toFailure(thrown, call);
      status.called(!failure.providerFailed);
      const wait = failure.retryAfterS ?? 0;
      const last = shown || !failure.retryable || retries === MAX_RETRIES || wait > MAX_RETRY_AFTER_S;
      logFailure(call, failure, thrown, last);
      if (last) throw failure.error;
    } finally {
      watch.close();
    }
    retries += 1;
    const delayMs = Math.max((failure.retryAfterS ?? 0) * 1000, backoff(retries));
    // An aborted pause throws an error of its own; the loop's first line throws the caller's reason.
    await pause(delayMs, undefined, { signal }).catch(() => {});
  }
}

/** 250 and 750 ms, each shortened at random by up to a half so that calls that failed together don't return together. */
function backoff(retries: number): number {
  return FIRST_DELAY_MS * 3 ** (retries - 1) * (1 - Math.random() / 2);
}

/** Without the error itself: those of the provider packages carry the request and the answer. */
function logFailure(call: ModelCall, { error, providerFailed }: ProviderFailure, thrown: unknown, last: boolean): void {
  if (!providerFailed) return;
  const fields = {
    execution_id: call.executionId,
    code: error.code,
    reason: error.message,
    thrown: thrown instanceof Error ? thrown.name : typeof thrown,
  };
  call.log.warn(fields, last ? 'call failed' : 'call failed and is tried again');
}

function silence(call: ModelCall): ProviderFailure {
  const seconds = Math.round(call.idleTimeoutMs / 100) / 10;
  const error = new ChorusError('timeout', `${call.provider} sent nothing for ${seconds} s`);
  return { error, retryable: false, retryAfterS: null, providerFailed: true };
}

function finishOf(finish: Finish | null, shown: boolean, provider: string): ChatPart {
  if (finish === null) throw new StreamCut();
  const reason = finish.finishReason.unified;
  switch (reason) {
    case 'interrupted':
    case 'error':
      throw new StreamCut();
    case 'content-filter':
      if (!shown) throw new ChorusError('content_refused', `${provider} refused to answer`);
      break;
    default:
  }
  return { type: 'finish', finish_reason: FINISH_REASONS[reason], usage: toUsage(finish.usage) };
}

const FINISH_REASONS: Record<Exclude<Finish['finishReason']['unified'], 'interrupted' | 'error'>, FinishReason> = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'content_filter',
  'tool-calls': 'tool_calls',
  other: 'stop',
};

function toUsage(usage: Finish['usage']): Usage {
  const input = usage.inputTokens.total ?? 0;
  const output = usage.outputTokens.total ?? 0;
  return { input_tokens: input, output_tokens: output, total_tokens: input + output, cost_usd: null };
}
