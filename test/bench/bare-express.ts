import type { AddressInfo } from 'node:net';
import express from 'express';
import mongoose from 'mongoose';

/**
 * Baseline for `reads.ts`: Express and mongoose with the same queries, nothing else.
 *
 * Usage: bare-express.ts <mongodb uri> <user id>
 */
const [uri = '', userId = ''] = process.argv.slice(2);
const connection = await mongoose.createConnection(uri, { maxPoolSize: 100 }).asPromise();
const any = new mongoose.Schema({ _id: String }, { strict: false });
const sessions = connection.model('Session', any, 'sessions');
const messages = connection.model('Message', any, 'messages');
const owner = { scope_key: `personal:${userId}`, user_id: userId };

const app = express();
app.get('/sessions', async (_request, response) => {
  const newest = { pinned: -1, updated_at: -1, _id: -1 } as const;
  response.json(await sessions.find(owner).sort(newest).limit(21).lean());
});
app.get('/messages/:id', async (request, response) => {
  response.json(await messages.findOne({ _id: request.params.id, ...owner }).lean());
});
const server = app.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }));
});
