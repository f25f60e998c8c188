import pools, { type Pool } from 'mongodb/lib/cmap/connection_pool.js';

let isDone = false;

/**
 * Patches the driver to skip its checks of pools without a minimum size. It checks each pool ten times a second, which
 * wakes idle processes. Expired connections are also dropped whenever one is taken from the pool.
 */
export function quietPools(): void {
  if (isDone) return;
  isDone = true;
  const { prototype } = pools.ConnectionPool;
  const { ensureMinPoolSize } = prototype;
  prototype.ensureMinPoolSize = function (this: Pool) {
    if (this.options.minPoolSize > 0) ensureMinPoolSize.call(this);
  };
}
