import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connectRedis } from '@chorus/events';
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
  const queueOf = (pool: string) => {
    const queue = queues.get(pool) ?? new Queue(pool, { connection: redis, prefix: `{chorus:${pool}}` });
    queues.set(pool, queue);
    return queue;
  };
  await Promise.all(['text', 'media'].map((pool) => queueOf(pool).add('x', {}, { jobId: `job_${pool}` })));
  const server = createServer(express().use('/queues', createBoard({ queueOf }, '/queues/'))).listen(0, '127.0.0.1');
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
  expect(Object.fromEntries(waiting)).toEqual({ text: 1, media: 1, vision: 0, knowledge: 0, voice: 0 });
  expect(await read('redis/stats')).toMatchObject({ status: 200, body: { mode: 'cluster' } });
  expect(await read('queues/media/job_media')).toMatchObject({ status: 200, body: { status: 'waiting' } });
  for (const path of ['queues/text/workers', 'queues/text/metrics', 'queues/text/job_text/flow', 'job-schedulers'])
    expect((await read(path)).status, path).toBe(200);
});
