import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { ChorusError, type SamplingSettings, type Usage } from '@chorus/contract';
import { CallAttempts, type CallFrame } from './call-attempts.ts';
import { costOf } from './prices.ts';
import { StreamCut } from './provider-failure.ts';
import type { CallOptions, ChatPart, FinishReason } from './provider-port.ts';

type Finish = Extract<LanguageModelV4StreamPart, { type: 'finish' }>;

/** How one call begins: what a try does, and what it does when that fails. */
export interface ChatStart {
  /** One try: the provider package's `doStream` with this signal. */
  start: (abortSignal: AbortSignal) => ReturnType<LanguageModelV4['doStream']>;
  /** Sees a failure before it is judged; true: `start` will do otherwise now, so try again at once. */
  adapt?: (thrown: unknown) => boolean;
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
 * Runs one chat call of a provider package's model. What fails before the first text is tried again, at most twice; what fails
 * after it is thrown. Leaving the iteration, or the signal, closes the connection.
 */
export async function* streamModel(
  frame: CallFrame,
  model: string,
  { start, adapt }: ChatStart,
  options: CallOptions,
): AsyncGenerator<ChatPart, void, undefined> {
  const { signal } = options;
  const attempts = new CallAttempts(frame, options);
  for (;;) {
    const entered = attempts.enter();
    const attempt = entered instanceof Promise ? await entered : entered;
    let shown = false;
    let pauseMs: number;
    try {
      const { stream } = await start(attempt.watch.signal);
      const reader = stream.getReader();
      let finish: Finish | null = null;
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        if (signal.aborted) throw signal.reason;
        if (value.type === 'text-delta') {
          if (value.delta === '') continue;
          if (!shown) attempt.pass.answered();
          shown = true;
          yield { type: 'text', text: value.delta };
        } else if (value.type === 'finish') finish = value;
        else if (value.type === 'error') throw value.error;
      }
      const last = finishOf(finish, shown, frame.provider, model);
      attempts.succeeded(attempt);
      yield last;
      return;
    } catch (thrown) {
      if (!signal.aborted && !shown && !attempt.watch.timedOut && adapt?.(thrown)) continue;
      pauseMs = attempts.failed(attempt, thrown, shown);
    } finally {
      attempt.watch.close();
      attempt.pass.leave();
    }
    await attempts.pause(pauseMs);
  }
}

function finishOf(finish: Finish | null, shown: boolean, provider: string, model: string): ChatPart {
  if (finish === null) throw new StreamCut();
  const reason = finish.finishReason.unified;
  switch (reason) {
    case 'interrupted':
    case 'error':
      throw new StreamCut();
    case 'content-filter':
      if (!shown) throw new ChorusError('content_refused', `${provider} refused to answer`);
      break;
    // What a provider names and its package does not know; where nothing at all was named, the stream was cut.
    case 'other':
      if (finish.finishReason.raw === undefined) throw new StreamCut();
      break;
    default:
  }
  return {
    type: 'finish',
    finish_reason: FINISH_REASONS[reason],
    usage: toUsage(`${provider}/${model}`, finish.usage),
  };
}

const FINISH_REASONS: Record<Exclude<Finish['finishReason']['unified'], 'interrupted' | 'error'>, FinishReason> = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'content_filter',
  'tool-calls': 'tool_calls',
  other: 'stop',
};

/** Tokens read from a cache and those thought, not shown, are in the totals; the cost knows the difference. */
function toUsage(model: string, { inputTokens, outputTokens }: Finish['usage']): Usage {
  const input = inputTokens.total ?? 0;
  const output = outputTokens.total ?? 0;
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    cost_usd: costOf(model, {
      input,
      cached: inputTokens.cacheRead ?? 0,
      written: inputTokens.cacheWrite ?? 0,
      output,
    }),
  };
}
