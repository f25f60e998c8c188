import type { ApiClient } from './api-client.ts';
import type { Payload } from './event-stream.ts';
import type { PlatformProcess } from './platform-process.ts';

/** Reads a batch's results while it runs, and reconnects to the next API after the last line. */
export class ResultsReader {
  readonly lines: Payload[] = [];
  reconnects = 0;
  readonly #client: ApiClient;
  readonly #apis: readonly PlatformProcess[];
  readonly #path: string;

  constructor(client: ApiClient, apis: readonly PlatformProcess[], batchId: string) {
    this.#client = client;
    this.#apis = apis;
    this.#path = `/batches/${batchId}/results?follow=true`;
  }

  async run(): Promise<void> {
    for (let turn = 0; ; turn += 1) {
      const api = this.#apis[turn % this.#apis.length];
      if (api?.alive && (await this.#read(api.url).catch(() => false))) return;
      this.reconnects += 1;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  /** Returns whether the results are complete. */
  async #read(url: string): Promise<boolean> {
    const after = this.lines.at(-1)?.cursor;
    const response = await fetch(`${url}/api/v1${this.#path}${after === undefined ? '' : `&after=${after}`}`, {
      headers: { authorization: `Bearer ${this.#client.token}`, 'x-scope-type': 'personal' },
    });
    if (!response.ok || !response.body) return false;
    let rest = '';
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.lines.push(JSON.parse(line));
    }
    return rest === '';
  }
}

export const toJsonLines = (head: Payload, items: Payload[]): string =>
  [head, ...items].map((line) => JSON.stringify(line)).join('\n');

export const NDJSON = { headers: { 'content-type': 'application/x-ndjson' } };
