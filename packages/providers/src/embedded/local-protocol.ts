import type { SamplingSettings } from '@chorus/contract';

/** What is said to the process that holds a local model. */
export type ToLocalModel =
  | { type: 'ask'; id: number; messages: { role: string; content: string }[]; settings: SamplingSettings }
  | { type: 'stop'; id: number };

/** What it says. */
export type FromLocalModel =
  | { type: 'ready'; contextWindow: number }
  /** It can't be loaded: the process ends. */
  | { type: 'unusable'; reason: string }
  | { type: 'text'; id: number; text: string }
  | { type: 'end'; id: number; reason: 'stop' | 'length' | 'too_long'; input: number; output: number };
