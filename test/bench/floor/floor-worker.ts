// Arguments: Redis's socket, the store's URI, the provider's base URL.
import { Agent, type IncomingMessage, request } from 'node:http';
import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { MongoClient } from 'mongodb';
import { AFTER_ID, END, type FloorRecord, type FloorTurn } from './floor-turn.ts';

const CONCURRENCY = 256;
/** Joins the deltas of this time, after the first one. */
const JOIN_MS = 5;
const KEEP_MS = 60_000;

/** KEYS: log. ARGV: channel, turn, frame, and whether it is the last. */
const APPEND = `
redis.call('XADD', KEYS[1], '*', 'frame', ARGV[3])
redis.call('PUBLISH', ARGV[1], ARGV[2] .. '${AFTER_ID}' .. ARGV[3])
if ARGV[4] then
  redis.call('PEXPIRE', KEYS[1], ${KEEP_MS})
  redis.call('PUBLISH', ARGV[1], ARGV[2] .. '${AFTER_ID}${END}')
end
`;

const [, , socket = '', uri = '', provider = ''] = process.argv;
const options = { path: socket, enableAutoPipelining: true, maxRetriesPerRequest: null };
const redis = new Redis(options) as Redis & { floorAppend(...args: string[]): Promise<unknown> };
redis.defineCommand('floorAppend', { numberOfKeys: 1, lua: APPEND });
const records = new MongoClient(uri).db().collection<FloorRecord>('turns');
const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY });

const worker = new Worker<FloorTurn>('floor', ({ data }) => runTurn(data), {
  connection: new Redis(options),
  concurrency: CONCURRENCY,
});
await worker.waitUntilReady();
process.send?.('ready');

async function runTurn({ id, channel, body }: FloorTurn): Promise<void> {
  let answer = '';
  let waiting = '';
  let timer: NodeJS.Timeout | undefined;
  const append = (...last: string[]) => {
    clearTimeout(timer);
    timer = undefined;
    const frame = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: waiting } }] })}\n\n`;
    waiting = '';
    return redis.floorAppend(`log:${id}`, channel, id, frame, ...last);
  };
  for await (const delta of deltasOf(await post(body))) {
    const isFirst = answer === '';
    answer += delta;
    waiting += delta;
    if (isFirst) append();
    else timer ??= setTimeout(append, JOIN_MS);
  }
  await records.updateOne({ _id: id }, { $set: { status: 'succeeded', text: answer } });
  await append('last');
}

function post(body: object): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', authorization: 'Bearer none' };
    const sent = request(`${provider}/chat/completions`, { method: 'POST', agent, headers }, resolve);
    sent.on('error', reject);
    sent.end(JSON.stringify(body));
  });
}

async function* deltasOf(response: IncomingMessage): AsyncGenerator<string> {
  response.setEncoding('utf8');
  let text = '';
  for await (const piece of response) {
    const events = (text + piece).split('\n\n');
    text = events.pop() as string;
    for (const event of events) {
      const data = event.slice('data: '.length);
      if (data === '[DONE]') continue;
      const delta = (JSON.parse(data) as { choices: { delta?: { content?: string } }[] }).choices[0]?.delta?.content;
      if (delta) yield delta;
    }
  }
}
