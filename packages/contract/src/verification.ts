import { z } from 'zod';
import { boundedRecord } from './bounded.ts';

export const VERIFICATION_CHECKS = ['provenance', 'ledger', 'similarity', 'expected_text', 'prompt'] as const;
export const CHECK_RESULTS = ['match', 'mismatch', 'absent', 'uncertain', 'skipped'] as const;

export const verificationCheck = z.object({
  check: z.enum(VERIFICATION_CHECKS),
  result: z.enum(CHECK_RESULTS).describe('`absent`: nothing to check; `skipped`: not requested, or not possible'),
  reason: z.string(),
  details: boundedRecord(z.string(), z.unknown(), 100),
});
export type VerificationCheck = z.infer<typeof verificationCheck>;

/**
 * `made_here`: identical, or a copy with our valid signature. `made_here_altered`: ours, but changed since
 * (re-encoded, cropped, edited). `made_elsewhere`: has another generator's provenance. `not_found`: no provenance
 * is known, which does not mean that AI did not generate it.
 */
export const VERDICTS = ['made_here', 'made_here_altered', 'made_elsewhere', 'not_found'] as const;

export const verificationItem = z.object({
  type: z.literal('verification'),
  verdict: z.enum(VERDICTS),
  /** Whether it shows what `expected_text` and `prompt` claim. */
  claim: z.enum(['supported', 'contradicted', 'uncertain', 'not_checked']),
  summary: z.string(),
  checks: z.array(verificationCheck).max(20),
});
export type VerificationItem = z.infer<typeof verificationItem>;
