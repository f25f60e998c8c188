/** The versions of the protocol that the server speaks, the latest first. */
export const PROTOCOL_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'] as const;

/** Error codes of JSON-RPC 2.0. */
export const RPC_CODES = {
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internalError: -32_603,
} as const;

/** Returns whether the server speaks this version. */
export const isKnownVersion = (version: string) => (PROTOCOL_VERSIONS as readonly string[]).includes(version);
