import type { ChatWire, FinishReason, FrameContext, FrameWriter } from './fake-answer.ts';
import type { FakeBehavior } from './fake-behavior.ts';
import { checkGoogle, readGoogle, signatureOf } from './fake-google-request.ts';
import { type FakeBlock, FakeBlocks } from './fake-pieces.ts';

const STATUSES: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
};

const REASONS: Record<FinishReason, string> = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  content_filter: 'SAFETY',
  tool_calls: 'STOP',
};

const data = (value: unknown) => `data: ${JSON.stringify(value)}\r\n\r\n`;

/** Google has no `Retry-After`; the details of the error contain the time. */
function failure({ status, error, retryAfter }: FakeBehavior) {
  const details: Record<string, unknown>[] =
    retryAfter === null ? [] : [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${retryAfter}s` }];
  if (error.code === 'API_KEY_INVALID')
    details.push({ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: error.code, domain: 'googleapis.com' });
  return {
    body: { error: { code: status, message: error.message, status: STATUSES[status] ?? 'UNKNOWN', details } },
    headers: {},
  };
}

/** Chunks of `:streamGenerateContent?alt=sse`. Function calls come in one piece, and a turn's first one is signed. */
function googleFrames({ id, model, inputTokens, cached }: FrameContext): FrameWriter {
  const blocks = new FakeBlocks();
  let call: FakeBlock | null = null;
  const usage = () => ({
    promptTokenCount: inputTokens,
    candidatesTokenCount: blocks.tokens - blocks.reasoningTokens,
    totalTokenCount: inputTokens + blocks.tokens,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: inputTokens }],
    ...(blocks.reasoningTokens > 0 && { thoughtsTokenCount: blocks.reasoningTokens }),
    ...(cached > 0 && { cachedContentTokenCount: cached }),
  });
  const frame = (candidate: Record<string, unknown>) =>
    data({ candidates: [{ ...candidate, index: 0 }], usageMetadata: usage(), modelVersion: model, responseId: id });
  const content = (part: Record<string, unknown>) => ({ content: { parts: [part], role: 'model' } });
  const flush = (): string => {
    if (call === null) return '';
    const { name, text } = call;
    const isFirst = blocks.calls[0] === call;
    call = null;
    const thoughtSignature = isFirst ? { thoughtSignature: signatureOf(name) } : {};
    return frame(content({ functionCall: { name, args: JSON.parse(text || '{}') }, ...thoughtSignature }));
  };
  return {
    open: () => '',
    piece(piece) {
      const { block, isNew } = blocks.add(piece);
      const before = isNew ? flush() : '';
      if (piece.type === 'call') {
        call = block;
        return before;
      }
      const thought = piece.type === 'reasoning' ? { thought: true } : {};
      return before + frame(content({ text: piece.text, ...thought }));
    },
    // A blocked prompt has no candidates.
    finish: (reason) =>
      reason === 'content_filter' && blocks.tokens === 0
        ? data({ promptFeedback: { blockReason: 'SAFETY', safetyRatings: [] }, usageMetadata: usage() })
        : flush() + frame({ ...content({ text: '' }), finishReason: REASONS[reason] }),
    whole(reason) {
      if (reason === 'content_filter' && blocks.tokens === 0)
        return { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: usage() };
      const parts = blocks.all.map(({ type, name, text }, index) => {
        if (type !== 'call') return { text, ...(type === 'reasoning' && { thought: true }) };
        const isFirst = blocks.calls[0] === blocks.all[index];
        const thoughtSignature = isFirst ? { thoughtSignature: signatureOf(name) } : {};
        return { functionCall: { name, args: JSON.parse(text || '{}') }, ...thoughtSignature };
      });
      const candidates = [{ content: { parts, role: 'model' }, finishReason: REASONS[reason], index: 0 }];
      return { candidates, usageMetadata: usage(), modelVersion: model, responseId: id };
    },
    error: ({ code }) =>
      data({
        error:
          code === null
            ? { code: 503, message: 'The model is overloaded. Please try again later.', status: 'UNAVAILABLE' }
            : { code: 429, message: 'Resource has been exhausted.', status: 'RESOURCE_EXHAUSTED' },
      }),
  };
}

/** `POST /v1beta/models/<model>:streamGenerateContent?alt=sse` */
export const googleWire: ChatWire = {
  name: 'google',
  read: readGoogle,
  check: checkGoogle,
  frames: googleFrames,
  failure,
};
