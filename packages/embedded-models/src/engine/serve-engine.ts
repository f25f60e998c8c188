import { flushCompileCache } from 'node:module';

/** Messages to an engine's process, which runs one request at a time. */
export type ToEngine<Request> =
  | { type: 'run'; id: number; request: Request }
  /** The caller no longer wants the rest. */
  | { type: 'stop'; id: number };

/** Messages from an engine's process: `ready` once, then parts and an end for each request. */
export type FromEngine<Part> =
  | { type: 'ready' }
  /** Loading failed, and the process ends. */
  | { type: 'unusable'; reason: string }
  | { type: 'part'; id: number; part: Part }
  | { type: 'done'; id: number };

/** Computes an answer part by part. `stopped` returns whether the caller has left. */
type Run<Request, Part> = (request: Request, stopped: () => boolean) => AsyncIterable<Part>;

/**
 * Runs an engine in a child process: loads it and serves its parent's requests. An error in a
 * request ends the process.
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
  // Node only writes its compile cache at a normal exit, and engines are killed.
  flushCompileCache();
}
