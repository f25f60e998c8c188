import { Agent, request } from 'node:http';

const agent = new Agent({ keepAlive: true, maxSockets: 1_000 });

export interface StreamTimes {
  firstTextMs: number;
  totalMs: number;
  body: string;
}

/** Posts a request and reads its event stream; text starts at the first non-empty `"content"`. */
export function readStream(
  url: string,
  headers: Record<string, string>,
  body: unknown,
  options: { keep?: boolean } = {},
): Promise<StreamTimes> {
  const payload = JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    let firstTextMs = 0;
    let kept = '';
    let tail = '';
    const outgoing = request(
      url,
      { method: 'POST', agent, headers: { ...headers, 'content-length': Buffer.byteLength(payload) } },
      (response) => {
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          if (firstTextMs === 0) {
            tail += chunk;
            if (/"content":"[^"]/.test(tail)) firstTextMs = performance.now() - startedAt;
          }
          if (options.keep) kept += chunk;
        });
        response.on('end', () => {
          if (response.statusCode !== 200) reject(new Error(`${response.statusCode}: ${kept || tail}`));
          else resolve({ firstTextMs, totalMs: performance.now() - startedAt, body: kept });
        });
        response.on('error', reject);
      },
    );
    outgoing.on('error', reject);
    outgoing.end(payload);
  });
}
