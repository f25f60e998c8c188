import { z } from 'zod';
import { boundedRecord } from './bounded.ts';

export const VERIFICATION_CHECKS = ['provenance', 'ledger', 'similarity', 'expected_text', 'prompt'] as const;
export const CHECK_RESULTS = ['match', 'mismatch', 'absent', 'uncertain', 'skipped'] as const;

export const verificationCheck = z.object({
  check: z.enum(VERIFICATION_CHECKS),
  result: z
    .enum(CHECK_RESULTS)
    .describe('`absent`: there was nothing to look at; `skipped`: not asked for, or no means'),
  reason: z.string(),
  details: boundedRecord(z.string(), z.unknown(), 100),
});
export type VerificationCheck = z.infer<typeof verificationCheck>;

/**
 * `made_here`: the very bytes, or a copy with our intact signature. `made_here_altered`: ours, but changed since (re-encoded, cropped, edited).
 * `made_elsewhere`: it carries somebody else's provenance. `not_found`: nothing is known of it, which never means that it is no AI's work.
 */
export const VERDICTS = ['made_here', 'made_here_altered', 'made_elsewhere', 'not_found'] as const;

export const verificationItem = z.object({
  type: z.literal('verification'),
  verdict: z.enum(VERDICTS),
  /** Whether it shows what is claimed, from `expected_text` and `prompt`. */
  claim: z.enum(['supported', 'contradicted', 'uncertain', 'not_checked']),
  summary: z.string(),
  checks: z.array(verificationCheck).max(20),
});
export type VerificationItem = z.infer<typeof verificationItem>;
