// Steps the clock of the process that loads it (`--import`) on SIGUSR2. The offset is in a file named for its pid.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';

const { CHORUS_TEST_CLOCKS } = process.env;

if (isMainThread && CHORUS_TEST_CLOCKS !== undefined) {
  const RealDate = Date;
  let offsetMs = 0;
  const now = () => RealDate.now() + offsetMs;
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args, asked) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, asked === globalThis.Date ? target : asked),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  });
  process.on('SIGUSR2', () => {
    offsetMs = Number(readFileSync(join(CHORUS_TEST_CLOCKS, String(process.pid)), 'utf8'));
  });
}
