import { setTimeout as pause } from 'node:timers/promises';
import { serveEngine } from './serve-engine.ts';

/** What the tests' engine is told to do. */
export type Deed =
  | { do: 'count'; to: number; everyMs?: number }
  /** The process ends, before or after a part. */
  | { do: 'crash'; after: number }
  | { do: 'pid' };

// An engine for tests, quick to load. Its argument: `broken` can't be loaded.

if (process.send !== undefined)
  await serveEngine<Deed, number>(async () => {
    if (process.argv[2] === 'broken') throw new Error('no weights');
    return async function* (deed, stopped) {
      if (deed.do === 'pid') yield process.pid;
      else if (deed.do === 'crash') {
        for (let part = 1; part <= deed.after; part += 1) yield part;
        await pause(20); // what was said is on its way
        process.exit(1);
      } else
        for (let part = 1; part <= deed.to && !stopped(); part += 1) {
          if (deed.everyMs !== undefined) await pause(deed.everyMs);
          yield part;
        }
    };
  });
