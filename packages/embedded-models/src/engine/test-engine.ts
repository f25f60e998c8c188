import { setTimeout as pause } from 'node:timers/promises';
import { serveEngine } from './serve-engine.ts';

export type TestRequest =
  | { do: 'count'; to: number; everyMs?: number }
  /** Ends the process after this many parts. */
  | { do: 'crash'; after: number }
  | { do: 'pid' };

// A fast engine for tests. The argument `broken` makes loading fail.

if (process.send !== undefined)
  await serveEngine<TestRequest, number>(async () => {
    if (process.argv[2] === 'broken') throw new Error('no weights');
    return async function* (request, stopped) {
      if (request.do === 'pid') yield process.pid;
      else if (request.do === 'crash') {
        for (let part = 1; part <= request.after; part += 1) yield part;
        await pause(20); // the parts must reach the parent
        process.exit(1);
      } else
        for (let part = 1; part <= request.to && !stopped(); part += 1) {
          if (request.everyMs !== undefined) await pause(request.everyMs);
          yield part;
        }
    };
  });
