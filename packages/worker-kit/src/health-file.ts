import { rm, writeFile } from 'node:fs/promises';
import type { Logger } from '@chorus/runtime/log';
import { setAlignedInterval } from '@chorus/runtime/timing';

const EVERY_MS = 10_000;

/**
 * Touches a file while this process can run, so that a container's health check sees that a worker, which listens on
 * no port, does not hang. Null: no file.
 *
 * @returns removes the file
 */
export async function keepHealthFile(path: string | null, log: Logger): Promise<() => Promise<void>> {
  if (path === null) return async () => {};
  let writing = Promise.resolve();
  const touch = () => {
    writing = writeFile(path, `${process.pid}\n`).catch((err) => log.warn({ err }, 'writing the health file failed'));
  };
  touch();
  await writing;
  const stop = setAlignedInterval(touch, EVERY_MS);
  return async () => {
    stop();
    await writing;
    await rm(path, { force: true });
  };
}
