import type { ScopedContext } from '../http/request-context.ts';

const holding = new WeakSet<ScopedContext>();

/**
 * Takes one of the user's slots until the response ends. A request takes at most one.
 * @throws {ChorusError} limit_reached
 */
export function holdPlace(context: ScopedContext, kind: 'streams' | 'waits'): Promise<void> {
  const held = hold(context, kind);
  // A caller may fail before awaiting this. Without a handler, the rejection would crash the process.
  held.catch(() => undefined);
  return held;
}

async function hold(context: ScopedContext, kind: 'streams' | 'waits'): Promise<void> {
  if (holding.has(context)) return;
  holding.add(context);
  const { response, services, owner } = context;
  const release = await services.userPlaces.take(owner.user_id, kind).catch((error) => {
    holding.delete(context);
    throw error;
  });
  if (response.destroyed || response.writableFinished) release();
  else response.once('close', release);
}
