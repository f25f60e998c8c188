/** What a sound worklet finds around it; the DOM's types leave that out. */
interface WorkletScope {
  AudioWorkletProcessor: new () => { readonly port: MessagePort };
  registerProcessor(name: string, processor: new () => Processor): void;
}

/** Takes and gives 128 samples at a time, on the thread of the sound. */
interface Processor {
  /** @returns whether it is to be called on */
  process(inputs: Float32Array[][], outputs: Float32Array[][]): boolean;
}

export const worklet = globalThis as unknown as WorkletScope;
