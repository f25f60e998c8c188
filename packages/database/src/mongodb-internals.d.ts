// Parts of the MongoDB driver that it has no types for.

declare module 'mongodb/lib/cmap/connection_pool.js' {
  export interface Pool {
    readonly options: { readonly minPoolSize: number };
  }
  const pools: { ConnectionPool: { prototype: Pool & { ensureMinPoolSize(): void } } };
  export default pools;
}

declare module 'mongodb/lib/utils.js' {
  import type { EventEmitter } from 'node:events';

  export type Once = (
    emitter: EventEmitter & { destroyed?: boolean },
    event: string,
    options?: object,
  ) => Promise<unknown>;
  const utils: { once: Once };
  export default utils;
}
