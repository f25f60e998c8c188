import { createRequire } from 'node:module';

interface Pool {
  readonly options: { readonly minPoolSize: number };
}
type Driver = { ConnectionPool: { prototype: Pool & { ensureMinPoolSize(): void } } };

let isDone = false;

/**
 * Patches the driver to leave pools without a minimum size alone. It checks each of them ten times a second, which
 * wakes idle processes. Taking a connection from a pool drops those that have expired, too.
 */
export function quietPools(): void {
  if (isDone) return;
  isDone = true;
  const { prototype } = (createRequire(import.meta.url)('mongodb/lib/cmap/connection_pool.js') as Driver)
    .ConnectionPool;
  const { ensureMinPoolSize } = prototype;
  prototype.ensureMinPoolSize = function (this: Pool) {
    if (this.options.minPoolSize > 0) ensureMinPoolSize.call(this);
  };
}
