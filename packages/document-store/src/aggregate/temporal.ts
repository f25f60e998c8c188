/** Node.js has Temporal from version 26 on. */
export const temporal: typeof globalThis.Temporal =
  globalThis.Temporal ?? ((await import('temporal-polyfill')).Temporal as unknown as typeof globalThis.Temporal);
