// Arguments: Redis's socket, the store's URI.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { MongoClient } from 'mongodb';
import { AFTER_ID, END, type FloorRecord, type FloorTurn } from './floor-turn.ts';

const [, , socket = '', uri = ''] = process.argv;
const connection = new Redis(socket, { enableAutoPipelining: true, maxRetriesPerRequest: null });
const queue = new Queue<FloorTurn>('floor', { connection });
const records = new MongoClient(uri).db().collection<FloorRecord>('turns');
const channel = `api:${process.pid}`;
const streams = new Map<string, ServerResponse>();

const subscriber = new Redis(socket);
await subscriber.subscribe(channel);
subscriber.on('message', (_channel, message) => {
  const at = message.indexOf(AFTER_ID);
  const id = message.slice(0, at);
  const frame = message.slice(at + 1);
  if (frame !== END) return void streams.get(id)?.write(frame);
  streams.get(id)?.end('data: [DONE]\n\n');
  streams.delete(id);
});

let count = 0;
const server = createServer(async (request, response) => {
  const body = JSON.parse(await text(request)) as object;
  count += 1;
  const id = `${process.pid}-${count}`;
  streams.set(id, response);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  await Promise.all([
    queue.add('turn', { id, channel, body }, { removeOnComplete: true }),
    records.insertOne({ _id: id, status: 'queued', text: '', at: new Date() }),
  ]);
});
server.listen(0, '127.0.0.1', () => process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
