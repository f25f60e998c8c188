import { startSpan } from './spans.ts';

interface Call {
  provider: string;
  operation: string;
  model: string;
}

interface CallEnd {
  outcome: string;
  usage?: { input_tokens: number; output_tokens: number } | undefined;
}

/** Names of OpenTelemetry's semantic conventions for generative AI, where they differ from ours. */
const OPERATIONS: Readonly<Record<string, string>> = {
  image: 'generate_content',
  video: 'generate_content',
  speech: 'generate_content',
  transcription: 'generate_content',
};
const PROVIDERS: Readonly<Record<string, string>> = { google: 'gcp.gemini', mistral: 'mistral_ai' };

/** Adds a span for each request to a provider. Content is never part of it. */
export function tracedCalls<O extends { begin(call: Call): (end: CallEnd) => void }>(observer: O): O {
  return {
    ...observer,
    begin(call: Call & { executionId: string }) {
      const ended = observer.begin(call);
      const operation = OPERATIONS[call.operation] ?? call.operation;
      const span = startSpan(`${operation} ${call.model}`, {
        kind: 'client',
        attributes: {
          'gen_ai.operation.name': operation,
          'gen_ai.provider.name': PROVIDERS[call.provider] ?? call.provider,
          'gen_ai.request.model': call.model,
          'gen_ai.output.type': call.operation === 'embeddings' ? undefined : outputOf(call.operation),
          'chorus.execution.id': call.executionId,
        },
      });
      return (end: CallEnd) => {
        ended(end);
        span.set({
          'gen_ai.usage.input_tokens': end.usage?.input_tokens,
          'gen_ai.usage.output_tokens': end.usage?.output_tokens,
        });
        if (end.outcome !== 'ok' && end.outcome !== 'cancelled') span.fail(end.outcome);
        span.end();
      };
    },
  };
}

const outputOf = (operation: string): string =>
  operation === 'chat' || operation === 'transcription' ? 'text' : operation === 'video' ? 'video' : operation;
