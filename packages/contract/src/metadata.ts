import { z } from 'zod';

/** Metadata of the caller's: up to 16 pairs, kept with the record and given back. */
export const metadata = z
  .record(z.string().min(1).max(64), z.string().max(512))
  .refine((pairs) => Object.keys(pairs).length <= 16, { error: 'at most 16 pairs' });
