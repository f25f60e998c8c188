import { Agent, request } from 'node:http';
import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';

const ATTACKERS = 8;

const [name = '', api = '', headersAsJson = '{}'] = process.argv.slice(2);
const headers = JSON.parse(headersAsJson) as Record<string, string>;
const agent = new Agent({ keepAlive: true, maxSockets: ATTACKERS });

const list = (length: number, element: string) => `[${Array(length).fill(element).join()}]`;
const fields = (length: number, value: string) => Array.from({ length }, (_, at) => `"f${at}":${value}`).join();
const part = '{"type":"text","text":"x"}';

const ATTACKS: Record<string, () => () => Promise<unknown>> = {
  nothing: () => () => sleep(50),
  parts: () => post('/chat/completions', `{"messages":[{"role":"user","content":${list(1_300_000, '{}')}}]}`),
  'wrong-parts': () =>
    post('/chat/completions', `{"messages":${list(49, `{"role":"user","content":${list(1_000, '{}')}}`)}}`),
  'right-parts': () =>
    post('/chat/completions', `{"n":-1,"messages":${list(16, `{"role":"user","content":${list(600, part)}}`)}}`),
  text: () => post('/chat/completions', `{"n":-1,"message":"${'x'.repeat(3_900_000)}"}`),
  escapes: () => post('/chat/completions', `{"n":-1,"message":"${'\\u00e9'.repeat(650_000)}"}`),
  login: () => post('/auth/login', `{${fields(380_000, '1')}}`),
  refresh: () => post('/auth/refresh', '['.repeat(1_900_000) + ']'.repeat(1_900_000)),
  batch: () => post('/batches', `{"items":[{"body":{"a":"${'\\"'.repeat(15_900_000)}"}}]}`),
  items: () => post('/batches', `{"items":${list(10_000, `{"body":${list(100, '{}')}}`)}}`),
  voice: () => updateSession(`{"type":"session.update","session":{${fields(200_000, '[{}]')}}}`),
};

/** Sends one kind of hostile request, eight at a time, until stdin closes. */
const attack = ATTACKS[name]?.();
if (attack === undefined) throw new Error(`unknown attack: ${name}`);
// Low priority: the cost of attacking should not slow down the platform.
setPriority(19);
let stopped = false;
process.stdin.resume().on('end', () => {
  stopped = true;
});
let done = 0;
console.log('begun');
await Promise.all(
  Array.from({ length: ATTACKERS }, async () => {
    while (!stopped) {
      await attack();
      done += 1;
    }
  }),
);
console.log(done);
process.exit(0);

function post(path: string, text: string): () => Promise<unknown> {
  const body = Buffer.from(text);
  return () =>
    new Promise<void>((resolve) => {
      const sent = request(
        api + path,
        { method: 'POST', agent, headers: { ...headers, 'content-length': body.length } },
        (response) => {
          if ((response.statusCode ?? 500) >= 500) console.error(`${path}: ${response.statusCode}`);
          response.resume().on('close', resolve);
        },
      );
      // The server may close the connection after refusing a body.
      sent.on('error', () => resolve());
      sent.end(body);
    });
}

function updateSession(frame: string): () => Promise<unknown> {
  return () =>
    new Promise((resolve) => {
      const socket = new WebSocket(`${api.replace('http', 'ws')}/voice/ws`, { headers });
      socket.on('message', (data) => {
        const { type } = JSON.parse(String(data)) as { type: string };
        // Repeats until the server closes the socket.
        if (type === 'session.created' || type === 'error') socket.send(frame);
      });
      socket.on('close', resolve);
      socket.on('error', resolve);
    });
}
