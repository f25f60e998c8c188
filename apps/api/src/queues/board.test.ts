import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Pool } from '@chorus/contract';
import { connectRedis } from '@chorus/events';
import { type QueueName, queuePrefix } from '@chorus/executions';
import { startRedisCluster } from '@chorus/testing';
import { Queue } from 'bullmq';
import express from 'express';
import { expect, onTestFinished, test } from 'vitest';
import { createBoard } from './board.ts';

test('works on a cluster, with each queue in its own slot', async () => {
  const cluster = await startRedisCluster();
  const redis = connectRedis({ url: cluster.url, cluster: true }, 'request');
  redis.on('error', () => undefined);
  const queues = new Map<string, Queue>();
  const queueOf = (name: QueueName) => {
    const queue = queues.get(name) ?? new Queue(name, { connection: redis, prefix: queuePrefix(name) });
    queues.set(name, queue);
    return queue;
  };
  const queuesOf = async (pool: Pool): Promise<QueueName[]> => (pool === 'text' ? [pool, 'text#1'] : [pool]);
  await queueOf('text').add('x', {}, { jobId: 'job_text' });
  await queueOf('text#1').add('x', {}, { jobId: 'job_shard' });
  await queueOf('media').add('x', {}, { jobId: 'job_media' });
  const board = await createBoard({ queuesOf, queueOf }, '/queues/');
  const server = createServer(express().use('/queues', board)).listen(0, '127.0.0.1');
  onTestFinished(async () => {
    server.close();
    await Promise.all([...queues.values()].map((queue) => queue.close()));
    redis.disconnect();
    await cluster.stop();
  });
  await once(server, 'listening');
  const read = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/queues/api/${path}`);
    return { status: answer.status, body: await answer.json() };
  };
  const { body } = await read('queues?page=1&jobsPerPage=10');
  const { queues: shown } = body as { queues: { name: string; counts: { waiting: number } }[] };
  const waiting = shown.map(({ name, counts }) => [name, counts.waiting]);
  expect(Object.fromEntries(waiting)).toEqual({ text: 1, 'text#1': 1, media: 1, vision: 0, knowledge: 0, voice: 0 });
  expect(await read('redis/stats')).toMatchObject({ status: 200, body: { mode: 'cluster' } });
  for (const path of ['queues/media/job_media', 'queues/text%231/job_shard'])
    expect(await read(path), path).toMatchObject({ status: 200, body: { status: 'waiting' } });
  for (const path of ['queues/text/workers', 'queues/text/metrics', 'queues/text/job_text/flow', 'job-schedulers'])
    expect((await read(path)).status, path).toBe(200);
});
