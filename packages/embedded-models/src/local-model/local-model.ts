import { type ChildProcess, fork } from 'node:child_process';
import { type ChatSettings, ChorusError, messageText } from '@chorus/contract';
import type { Logger } from '@chorus/runtime/log';
import { type CallOptions, type ChatCall, type ChatPart, unpriced } from '../engine-call.ts';
import { StopWords } from './stop-words.ts';

/** Messages to the process that holds a local model. */
export type ToLocalModel =
  | { type: 'ask'; id: number; messages: { role: string; content: string }[]; settings: ChatSettings }
  | { type: 'stop'; id: number };

/** Messages from that process. */
export type FromLocalModel =
  | { type: 'ready'; contextWindow: number }
  /** Loading failed, and the process ends. */
  | { type: 'unusable'; reason: string }
  | { type: 'text'; id: number; text: string }
  | { type: 'end'; id: number; reason: 'stop' | 'length' | 'too_long'; input: number; output: number };

/** Environment variables for the child: no keys, only what llama.cpp needs to find libraries and devices. */
const ENVIRONMENT = /^(PATH|HOME|TMPDIR|LANG|LD_LIBRARY_PATH|NODE_COMPILE_CACHE|(CUDA|GGML|LLAMA|OMP|HIP|VK)_\w+)$/;

type LocalModelEvent = Extract<FromLocalModel, { id: number }> | { type: 'gone' };

/**
 * Runs the model of a GGUF file with llama.cpp in a child process, so that it does not block this process, and a crash
 * only ends its own answers. The next call restarts it.
 */
export class LocalModel {
  /** Tokens; null until the model is loaded. */
  contextWindow: number | null = null;
  /** Whether loading has failed for good. */
  unusable = false;
  readonly #path: string;
  readonly #log: Logger;
  #child: ChildProcess | null = null;
  #ready: Promise<void> | null = null;
  #lastId = 0;
  readonly #listeners = new Map<number, (event: LocalModelEvent) => void>();

  constructor(path: string, log: Logger) {
    this.#path = path;
    this.#log = log;
  }

  /** Loads the model. @throws ChorusError `provider_error` if that fails */
  start(): Promise<void> {
    this.#ready ??= this.#load();
    return this.#ready;
  }

  async *stream({ messages, settings }: ChatCall, { signal }: CallOptions): AsyncGenerator<ChatPart, void, undefined> {
    signal.throwIfAborted();
    await this.start();
    signal.throwIfAborted();
    this.#lastId += 1;
    const id = this.#lastId;
    const waiting: LocalModelEvent[] = [];
    let wake = () => {};
    const receive = (event: LocalModelEvent) => {
      waiting.push(event);
      wake();
    };
    const abort = () => wake();
    this.#listeners.set(id, receive);
    signal.addEventListener('abort', abort, { once: true });
    const cut = new StopWords(settings.stop ?? []);
    let ended = false;
    try {
      const prompt = messages.map((message) => ({
        role: message.role === 'developer' ? 'system' : message.role,
        content: messageText(message),
      }));
      this.#send({ type: 'ask', id, messages: prompt, settings });
      for (;;) {
        signal.throwIfAborted();
        const event = waiting.shift();
        if (event === undefined) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
          continue;
        }
        if (event.type === 'text') {
          const text = cut.take(event.text);
          if (text !== '') yield { type: 'text', text };
          continue;
        }
        ended = true;
        if (event.type === 'gone') throw new ChorusError('provider_error', 'The local model stopped unexpectedly');
        if (event.reason === 'too_long')
          throw new ChorusError('context_too_long', 'The conversation is too long for the local model');
        const rest = cut.rest();
        if (rest !== '') yield { type: 'text', text: rest };
        const { input, output, reason } = event;
        yield { type: 'finish', finish_reason: reason, usage: unpriced(input, output) };
        return;
      }
    } finally {
      signal.removeEventListener('abort', abort);
      this.#listeners.delete(id);
      if (!ended) this.#send({ type: 'stop', id });
    }
  }

  close(): void {
    const child = this.#child;
    this.#child = null;
    child?.kill('SIGKILL');
  }

  /** The child's process id, or null while none runs. */
  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  #load(): Promise<void> {
    const child = fork(new URL('./local-model-main.ts', import.meta.url), [this.#path], {
      stdio: 'ignore',
      env: Object.fromEntries(Object.entries(process.env).filter(([name]) => ENVIRONMENT.test(name))),
    });
    this.#child = child;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    promise.catch(() => {}); // calls report the failure
    const giveUp = (reason: string) => {
      this.unusable = true;
      this.#log.error({ reason }, 'EMBEDDED_MODEL_PATH is unusable');
      reject(new ChorusError('provider_error', `The local model can't be used: ${reason}`));
    };
    child.on('message', (message: FromLocalModel) => {
      if (message.type === 'ready') {
        this.contextWindow = message.contextWindow;
        this.#log.info({ context_window: message.contextWindow }, 'local model is loaded');
        resolve();
      } else if (message.type === 'unusable') {
        giveUp(message.reason);
      } else this.#listeners.get(message.id)?.(message);
    });
    const gone = () => {
      if (this.#child !== child) return;
      this.#child = null;
      // A model that never loaded is not retried, but one that had loaded is.
      if (this.contextWindow === null && !this.unusable) giveUp('its process ended while loading');
      if (!this.unusable) this.#ready = null;
      reject(new ChorusError('provider_error', 'The local model could not be loaded'));
      for (const receive of [...this.#listeners.values()]) receive({ type: 'gone' });
    };
    child.once('exit', gone);
    child.once('error', gone);
    return promise;
  }

  #send(message: ToLocalModel): void {
    const child = this.#child;
    if (child?.connected) child.send(message, () => {}); // its exit event follows
  }
}
