import { createRequire } from 'node:module';

// llama.cpp's binding for Node: its binary packages are used as they are, since the package around them draws in those for graphics cards.

/** What is used of the binding. */
export interface LlamaContext {
  enableParallelMode(options: { n_parallel: number; n_batch: number }): boolean;
  /** Calls back for each token, and once with the result, which has none. */
  queueCompletion(
    options: Record<string, unknown>,
    callback: (error: unknown, told: LlamaToken | LlamaResult) => void,
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
    /** The header of a GGUF file, but the named fields. */
    loadModelInfo(path: string, skip: string[]): Promise<Record<string, unknown>>;
  };
}

/** @throws where the optional package for this machine is not installed */
export function loadLlama(): Llama {
  return createRequire(import.meta.url)(`@fugood/node-llama-${process.platform}-${process.arch}`) as Llama;
}
