import type { FromEngine, ToEngine } from './engine-protocol.ts';

/** Computes the answer to one request, part by part; `stopped` tells whether anybody still waits for the next. */
type Run<Request, Part> = (request: Request, stopped: () => boolean) => AsyncIterable<Part>;

/**
 * The life of a process that holds an engine: it is loaded, asked by messages of its parent, and gone with it. What a request throws ends the process,
 * and the parent sees that.
 */
export async function serveEngine<Request, Part>(load: () => Promise<Run<Request, Part>>): Promise<void> {
  const say = (message: FromEngine<Part>, done = () => {}) => process.send?.(message, done);
  process.on('disconnect', () => process.exit(0));
  let run: Run<Request, Part>;
  try {
    run = await load();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    say({ type: 'unusable', reason }, () => process.exit(1));
    return;
  }
  let current = 0;
  process.on('message', async (message: ToEngine<Request>) => {
    if (message.type === 'stop') {
      if (current === message.id) current = 0;
      return;
    }
    const { id, request } = message;
    current = id;
    for await (const part of run(request, () => current !== id)) {
      if (current !== id) break;
      say({ type: 'part', id, part });
    }
    say({ type: 'done', id });
  });
  say({ type: 'ready' });
}
