import { z } from 'zod';
import { boundedRecord } from './bounded.ts';

const MAX_PAIRS = 16;

/** The caller's metadata: up to 16 pairs, stored with the record. */
export const metadata = boundedRecord(z.string().min(1).max(64), z.string().max(512), MAX_PAIRS);

/** Metadata in a response. */
export const storedMetadata = boundedRecord(z.string(), z.string(), MAX_PAIRS);
