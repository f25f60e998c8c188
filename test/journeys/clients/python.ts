import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import type { Endpoint } from './endpoint.ts';

const run = promisify(execFile);
const SCRIPT = `${import.meta.dirname}/python_client.py`;
const RECORDED = `${import.meta.dirname}/python-requests.jsonl`;

interface RecordedRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  /** base64 */
  body: string;
}

/** A Python with OpenAI's client, if there is one: set `PYTHON` to its path. */
const python = process.env.PYTHON ?? 'python3';
const hasClient = await run(python, ['-c', 'import openai, pydantic']).then(
  () => true,
  () => false,
);

export function pythonJourneys(getEndpoint: () => Endpoint): void {
  it.runIf(hasClient)('passes its own checks', { timeout: 90_000 }, async () => {
    const { baseURL, apiKey } = getEndpoint();
    const { stdout } = await run(python, [SCRIPT, baseURL, apiKey]);
    expect(stdout).toContain('errors passed');
  });

  it('gets answers to its recorded requests', async () => {
    const { baseURL, apiKey } = getEndpoint();
    const lines = (await readFile(RECORDED, 'utf8')).trim().split('\n');
    expect(lines.length).toBeGreaterThan(8);
    for (const line of lines) {
      const { method, path, headers, body } = JSON.parse(line) as RecordedRequest;
      const response = await fetch(`${baseURL}${path}`, {
        method,
        headers: { ...headers, authorization: `Bearer ${apiKey}` },
        ...(body === '' ? {} : { body: Buffer.from(body, 'base64') }),
      });
      const answer = await response.text();
      const isRefused = Buffer.from(body, 'base64').includes('nobody/knows');
      expect([path, response.status, answer.slice(0, 200)]).toEqual([path, isRefused ? 404 : 200, expect.any(String)]);
      if (response.headers.get('content-type')?.startsWith('text/event-stream'))
        expect(answer.trimEnd().endsWith('data: [DONE]')).toBe(true);
    }
  });
}
