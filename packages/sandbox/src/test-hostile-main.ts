import { spawn } from 'node:child_process';
import { writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { serialize } from 'node:v8';
import { serveTasks } from './child/serve-tasks.ts';

export type HostileTask =
  | {
      do:
        | 'pid'
        | 'heap'
        | 'buffers'
        | 'spin'
        | 'hang'
        | 'exit'
        | 'abort'
        | 'throw'
        | 'refuse'
        | 'exhausted'
        | 'flood'
        | 'environment';
    }
  | { do: 'echo'; value: unknown }
  | { do: 'compute'; ms: number }
  | { do: 'send'; times: number; everyMs: number; hangs: boolean }
  | { do: 'say'; message: unknown; late?: boolean }
  | { do: 'write'; bytes: Uint8Array }
  | { do: 'start' };

const CHANNEL = 3;

const hang = () => new Promise<never>(() => setInterval(() => undefined, 60_000));

function compute(ms: number): void {
  const start = process.cpuUsage();
  for (let usedMs = 0; usedMs < ms; ) {
    const { user, system } = process.cpuUsage(start);
    usedMs = (user + system) / 1_000;
  }
}

function say(message: unknown): void {
  const body = serialize(message);
  const header = Buffer.alloc(4);
  header.writeUInt32BE(body.byteLength);
  writeSync(CHANNEL, Buffer.concat([header, body]));
}

// Acts like a child that a hostile file has compromised.
serveTasks<null, HostileTask, unknown, unknown>(() => async (task, send) => {
  switch (task.do) {
    case 'pid':
      return process.pid;
    case 'echo':
      return task.value;
    case 'environment':
      return { ...process.env };
    case 'heap':
      for (const kept: number[][] = []; ; ) kept.push(new Array(1_000_000).fill(0.5));
    case 'buffers':
      for (const kept: Buffer[] = []; ; ) kept.push(Buffer.alloc(50_000_000, 1));
    case 'spin':
      for (;;);
    case 'compute':
      return compute(task.ms);
    case 'hang':
      return hang();
    case 'exit':
      return process.exit(0);
    case 'abort':
      return process.abort();
    case 'throw':
      throw new TypeError('a bug');
    case 'refuse':
      throw new (await import('@chorus/contract')).ChorusError('invalid_request', 'The file is broken.');
    case 'exhausted':
      throw new (await import('@chorus/contract')).ChorusError('invalid_request', 'The JPEG is broken.', {
        cause: new Error('vips_image_write_to_memory: out of memory'),
      });
    case 'flood':
      for (;;) await send(Buffer.alloc(1_000));
    case 'send':
      for (let part = 1; part <= task.times; part += 1) {
        await pause(task.everyMs);
        await send(part);
      }
      return task.hangs ? hang() : 'sent';
    case 'say':
      if (!task.late) {
        say(task.message);
        return hang();
      }
      setTimeout(() => say(task.message), 50);
      return 'answered';
    case 'write':
      writeSync(CHANNEL, task.bytes);
      return hang();
    case 'start':
      await send(spawn('/bin/sleep', ['600'], { stdio: 'ignore' }).pid);
      return hang();
  }
});
