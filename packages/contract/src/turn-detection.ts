import { z } from 'zod';

/** How the end of a turn is detected, in the terms of OpenAI's Realtime API. */
export const turnDetection = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('server_vad'),
    threshold: z.number().min(0).max(1).default(0.5).describe('How certain the detection of speech must be'),
    prefix_padding_ms: z.int().min(0).max(5_000).default(300).describe('Audio to include before the speech'),
    silence_duration_ms: z.int().min(50).max(10_000).default(500).describe('Silence that ends a turn'),
    idle_timeout_ms: z.int().min(1_000).max(600_000).nullish(),
    create_response: z.boolean().default(true).describe('Whether to answer when a turn ends'),
    interrupt_response: z.boolean().default(true).describe('Whether speech interrupts the answer'),
  }),
  z.object({
    type: z.literal('semantic_vad'),
    eagerness: z.enum(['low', 'medium', 'high', 'auto']).default('auto').describe('How quickly a turn counts as over'),
    create_response: z.boolean().default(true),
    interrupt_response: z.boolean().default(true),
  }),
]);
export type TurnDetection = z.output<typeof turnDetection>;

export const DEFAULT_TURN_DETECTION: TurnDetection = turnDetection.parse({ type: 'server_vad' });
