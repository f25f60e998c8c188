/** The global scope of an audio worklet, which the DOM types lack. */
interface WorkletScope {
  AudioWorkletProcessor: new () => { readonly port: MessagePort };
  registerProcessor(name: string, processor: new () => Processor): void;
}

/** Processes 128 samples at a time on the audio thread. */
interface Processor {
  /** @returns whether to keep the processor running */
  process(inputs: Float32Array[][], outputs: Float32Array[][]): boolean;
}

export const worklet = globalThis as unknown as WorkletScope;
