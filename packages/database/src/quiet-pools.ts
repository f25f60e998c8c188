import { createRequire } from 'node:module';

interface Pool {
  readonly options: { readonly minPoolSize: number };
}
type Driver = { ConnectionPool: { prototype: Pool & { ensureMinPoolSize(): void } } };

let isDone = false;

/**
 * Patches the driver to skip its checks of pools without a minimum size. It checks each pool ten times a second, which
 * wakes idle processes. Expired connections are also dropped whenever one is taken from the pool.
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
