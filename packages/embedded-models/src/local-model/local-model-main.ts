import { type LlamaContext, loadLlama } from './llama.ts';
import type { FromLocalModel, ToLocalModel } from './local-model.ts';

// The process that holds the model of EMBEDDED_MODEL_PATH. It ends with its parent.

/** Number of concurrent answers. More wait. */
const PARALLEL = 2;
/** Tokens per answer. Memory grows with it, so larger contexts of a model are not used. */
const MAX_CONTEXT = 8_192;
const LARGE_FIELDS = [
  'tokenizer.ggml.tokens',
  'tokenizer.ggml.scores',
  'tokenizer.ggml.token_type',
  'tokenizer.ggml.merges',
];

/** Reasons why llama.cpp can't load, by error code. */
const REASONS: Record<string, string> = {
  MODULE_NOT_FOUND: 'llama.cpp is not installed for this machine',
  ERR_DLOPEN_FAILED: "llama.cpp can't be loaded here: on Linux it needs libgomp (the package libgomp1)",
};

const say = (message: FromLocalModel) => process.send?.(message);
const running = new Map<number, number>();
process.on('disconnect', () => process.exit(0));

const [path = ''] = process.argv.slice(2);
try {
  const { LlamaContext } = loadLlama();
  const header = await LlamaContext.loadModelInfo(path, LARGE_FIELDS);
  const own = Number(header[`${header['general.architecture']}.context_length`]);
  const contextWindow = Math.min(own > 0 ? own : MAX_CONTEXT, MAX_CONTEXT);
  const context = new LlamaContext({ model: path, n_ctx: contextWindow * PARALLEL, n_parallel: PARALLEL });
  context.enableParallelMode({ n_parallel: PARALLEL, n_batch: 512 });
  process.on('message', (message: ToLocalModel) => take(context, message));
  say({ type: 'ready', contextWindow });
} catch (error) {
  const reason = REASONS[(error as { code?: string }).code ?? ''] ?? 'the file is not a model that llama.cpp can read';
  process.send?.({ type: 'unusable', reason } satisfies FromLocalModel, () => process.exit(1));
}

function take(context: LlamaContext, message: ToLocalModel): void {
  const { id } = message;
  if (message.type === 'stop') {
    const request = running.get(id);
    if (request !== undefined) context.cancelRequest(request);
    running.delete(id);
    return;
  }
  const { temperature, top_p, max_tokens, stop, seed, presence_penalty, frequency_penalty } = message.settings;
  const options = {
    messages: message.messages,
    jinja: true,
    n_predict: max_tokens ?? -1,
    ...(temperature !== undefined && { temperature }),
    // At 0, the most likely token is expected, but llama.cpp still samples among close ones.
    ...(temperature === 0 && { top_k: 1 }),
    ...(top_p !== undefined && { top_p }),
    ...(stop !== undefined && { stop }),
    ...(seed !== undefined && { seed }),
    ...(presence_penalty !== undefined && { penalty_present: presence_penalty }),
    ...(frequency_penalty !== undefined && { penalty_freq: frequency_penalty }),
  };
  const { requestId } = context.queueCompletion(options, (_error, result) => {
    if (result.token !== undefined) {
      if (running.has(id)) say({ type: 'text', id, text: result.token });
      return;
    }
    if (!running.delete(id)) return;
    const { stopped_limit, context_full, tokens_predicted: output, timings } = result;
    const input = timings.prompt_n + timings.cache_n;
    const reason = input === 0 ? 'too_long' : stopped_limit || context_full ? 'length' : 'stop';
    say({ type: 'end', id, reason, input, output });
  });
  running.set(id, requestId);
}
