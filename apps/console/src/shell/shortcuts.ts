const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** The name of the key that shortcuts start with. */
export const MOD = isMac ? '⌘' : 'Ctrl';

export const PALETTE_KEYS: readonly string[] = [MOD, 'K'];
