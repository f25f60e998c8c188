import { z } from 'zod';
import { boundedRecord } from './bounded.ts';

const MAX_PAIRS = 16;

/** Metadata of the caller's: up to 16 pairs, kept with the record and given back. */
export const metadata = boundedRecord(z.string().min(1).max(64), z.string().max(512), MAX_PAIRS);

/** The same in an answer. */
export const storedMetadata = boundedRecord(z.string(), z.string(), MAX_PAIRS);
