import { createRequire } from 'node:module';

// llama.cpp's binding for Node. Its binary packages are used directly, because the main package also installs those
// for graphics cards.

export interface LlamaContext {
  enableParallelMode(options: { n_parallel: number; n_batch: number }): boolean;
  /** Calls back for each token, then once with a result that has no token. */
  queueCompletion(
    options: Record<string, unknown>,
    callback: (error: unknown, result: LlamaToken | LlamaResult) => void,
  ): { requestId: number };
  cancelRequest(requestId: number): void;
}

export interface LlamaToken {
  token: string;
}

export interface LlamaResult {
  token?: undefined;
  stopped_limit: boolean;
  context_full: boolean;
  tokens_predicted: number;
  timings: { prompt_n: number; cache_n: number };
}

export interface Llama {
  LlamaContext: {
    new (options: Record<string, unknown>): LlamaContext;
    /** Reads the header of a GGUF file without the named fields. */
    loadModelInfo(path: string, skip: string[]): Promise<Record<string, unknown>>;
  };
}

/** @throws if the optional package for this machine is not installed */
export function loadLlama(): Llama {
  return createRequire(import.meta.url)(`@fugood/node-llama-${process.platform}-${process.arch}`) as Llama;
}
