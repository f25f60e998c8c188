const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** The name of the key that shortcuts start with. */
const MOD = isMac ? '⌘' : 'Ctrl';

/** The keys of a shortcut are pressed together. */
export interface Shortcut {
  keys: readonly string[];
  label: string;
}

export const PALETTE_KEYS: readonly string[] = [MOD, 'K'];

export const shortcuts: readonly { title: string; shortcuts: readonly Shortcut[] }[] = [
  {
    title: 'Everywhere',
    shortcuts: [
      { keys: PALETTE_KEYS, label: 'Search and run commands' },
      { keys: ['?'], label: 'Show keyboard shortcuts' },
      { keys: [MOD, '/'], label: 'Show keyboard shortcuts while typing' },
    ],
  },
  {
    title: 'Chat',
    shortcuts: [
      { keys: [MOD, 'Shift', 'O'], label: 'Start a new conversation' },
      { keys: ['/'], label: 'Go to the message; in it, insert a prompt' },
      { keys: ['Enter'], label: 'Send the message' },
      { keys: ['Shift', 'Enter'], label: 'Start a new line' },
      { keys: ['Esc'], label: 'Stop the answer' },
    ],
  },
  { title: 'Voice', shortcuts: [{ keys: ['Esc'], label: 'Interrupt the speech' }] },
];
