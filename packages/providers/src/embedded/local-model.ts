import { type ChildProcess, fork } from 'node:child_process';
import { ChorusError } from '@chorus/contract';
import type { Logger } from '@chorus/log';
import { textOf } from '../chat-prompt.ts';
import type { CallOptions, ChatCall, ChatPart } from '../provider-port.ts';
import type { FromLocalModel, ToLocalModel } from './local-protocol.ts';
import { StopWords } from './stop-words.ts';

/** What of our environment its process gets: no keys, but what llama.cpp finds libraries and devices by. */
const ENVIRONMENT = /^(PATH|HOME|TMPDIR|LANG|LD_LIBRARY_PATH|NODE_COMPILE_CACHE|(CUDA|GGML|LLAMA|OMP|HIP|VK)_\w+)$/;

type Told = Extract<FromLocalModel, { id: number }> | { type: 'gone' };

/**
 * The model of a GGUF file, run by llama.cpp in a process of its own: it computes for as long as it wants without holding up anybody, and its crash
 * ends its own answers alone. It is started anew with the next call.
 */
export class LocalModel {
  /** Tokens; null until it is loaded. */
  contextWindow: number | null = null;
  /** Whether it can't be loaded at all. */
  unusable = false;
  readonly #path: string;
  readonly #log: Logger;
  #child: ChildProcess | null = null;
  #ready: Promise<void> | null = null;
  #lastId = 0;
  readonly #listeners = new Map<number, (told: Told) => void>();

  constructor(path: string, log: Logger) {
    this.#path = path;
    this.#log = log;
  }

  /** Resolves when it is loaded. @throws ChorusError `provider_error` where it can't be */
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
    const waiting: Told[] = [];
    let wake = () => {};
    const hear = (told: Told) => {
      waiting.push(told);
      wake();
    };
    const abort = () => wake();
    this.#listeners.set(id, hear);
    signal.addEventListener('abort', abort, { once: true });
    const cut = new StopWords(settings.stop ?? []);
    let ended = false;
    try {
      const said = messages.map((message) => ({
        role: message.role === 'developer' ? 'system' : message.role,
        content: textOf(message),
      }));
      this.#say({ type: 'ask', id, messages: said, settings });
      for (;;) {
        signal.throwIfAborted();
        const told = waiting.shift();
        if (told === undefined) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
          continue;
        }
        if (told.type === 'text') {
          const text = cut.take(told.text);
          if (text !== '') yield { type: 'text', text };
          continue;
        }
        ended = true;
        if (told.type === 'gone') throw new ChorusError('provider_error', 'The local model ended in the middle of it');
        if (told.reason === 'too_long')
          throw new ChorusError('context_too_long', 'The conversation is too long for the model');
        const rest = cut.rest();
        if (rest !== '') yield { type: 'text', text: rest };
        const { input, output, reason } = told;
        const usage = { input_tokens: input, output_tokens: output, total_tokens: input + output, cost_usd: null };
        yield { type: 'finish', finish_reason: reason, usage };
        return;
      }
    } finally {
      signal.removeEventListener('abort', abort);
      this.#listeners.delete(id);
      if (!ended) this.#say({ type: 'stop', id });
    }
  }

  close(): void {
    const child = this.#child;
    this.#child = null;
    child?.kill('SIGKILL');
  }

  /** Of the process that holds it; null while there is none. */
  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  #load(): Promise<void> {
    const child = fork(new URL('../local-model-main.ts', import.meta.url), [this.#path], {
      stdio: 'ignore',
      env: Object.fromEntries(Object.entries(process.env).filter(([name]) => ENVIRONMENT.test(name))),
    });
    this.#child = child;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    promise.catch(() => {}); // whoever calls is told
    const giveUp = (reason: string) => {
      this.unusable = true;
      this.#log.error({ reason }, 'EMBEDDED_MODEL_PATH can not be used');
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
      // What was never loaded is not tried again and again; what was, ended by some accident.
      if (this.contextWindow === null && !this.unusable) giveUp('its process ended while it was loaded');
      if (!this.unusable) this.#ready = null;
      reject(new ChorusError('provider_error', 'The local model could not be loaded'));
      for (const hear of [...this.#listeners.values()]) hear({ type: 'gone' });
    };
    child.once('exit', gone);
    child.once('error', gone);
    return promise;
  }

  #say(message: ToLocalModel): void {
    const child = this.#child;
    if (child?.connected) child.send(message, () => {}); // one that has just ended tells it by its exit
  }
}
